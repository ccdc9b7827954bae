/** Players of a match, and until when their room keeps their seats; Unix ms of the service's clock. */
export interface SeatsFor {
  readonly players: ReadonlyArray<string>
  readonly untilMs: number
}

/** A connection to the room, welcomed or not. */
interface TakenSeat {
  readonly viewer: boolean
  readonly entrance: { readonly playerId: string }
}

/** The seats that a room keeps for players of matches until they join. Only joins look here. */
export class KeptSeats {
  readonly #untilMs = new Map<string, number>()
  /** `null` = the room takes nobody any more. */
  readonly #taken: () => ReadonlyMap<number, TakenSeat> | null

  constructor(taken: () => ReadonlyMap<number, TakenSeat> | null) {
    this.#taken = taken
  }

  /**
   * Keeps a seat for each of these players, if there are so many.
   *
   * @param seatsMax seats of players in the room
   * @returns whether it does
   */
  keep({ players, untilMs }: SeatsFor, seatsMax: number): boolean {
    const seats = this.#taken()
    if (seats === null) return false
    let others = this.without(...players)
    for (const { viewer, entrance } of seats.values()) {
      if (!viewer && !players.includes(entrance.playerId)) others++
    }
    if (others + players.length > seatsMax) return false
    for (const playerId of players) {
      this.#untilMs.set(playerId, Math.max(untilMs, this.#untilMs.get(playerId) ?? 0))
    }
    return true
  }

  /** The room has welcomed the player, whose own seat it is from here on. */
  taken(playerId: string): void {
    if (this.#untilMs.size > 0) this.#untilMs.delete(playerId)
  }

  /** Whoever comes takes the seats that were kept until then. */
  lapse(nowMs: number): void {
    for (const [playerId, untilMs] of this.#untilMs) {
      if (untilMs <= nowMs) this.#untilMs.delete(playerId)
    }
  }

  /** Seats that are kept for players who are not here yet, without these ones. */
  without(...players: ReadonlyArray<string>): number {
    if (this.#untilMs.size === 0) return 0
    const here = new Set(players)
    for (const { entrance } of this.#taken()?.values() ?? []) here.add(entrance.playerId)
    let kept = 0
    for (const playerId of this.#untilMs.keys()) if (!here.has(playerId)) kept++
    return kept
  }
}
