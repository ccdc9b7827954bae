/** Polls for which rooms that start may hold up the next spare process. */
const HeldPollsMax = 10

/**
 * Says when the next step towards a spare process is due. Such a step takes CPU from a room that somebody waits for,
 * so that room comes first; where rooms start all the time, a step comes about once a second.
 */
export class SpareTurns {
  #heldPolls = 0

  /** @param someWait somebody waits for the welcome of a room */
  isDue(someWait: boolean): boolean {
    const holds = someWait && this.#heldPolls < HeldPollsMax
    this.#heldPolls = holds ? this.#heldPolls + 1 : 0
    return !holds
  }
}
