import { Chance } from "@atrium/api/testing/Chance"
import { sleep } from "@atrium/api/testing/load/Tasks"
import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { Client, type ClientRoom } from "@atrium/sdk/client"

import { type Drop, watchDrops } from "../soak/Drops.ts"
import { type Attempt, type Incident, slackMs, type Violation } from "../soak/Ledger.ts"
import { tally } from "../soak/rooms/relaySchema.ts"

interface Place {
  readonly url: string
  readonly project: string
  readonly roomId: string
  readonly pauseMs: { readonly least: number; readonly most: number }
}

/** The number in a room's state, as a welcome showed it. */
interface Seen {
  readonly atMs: number
  readonly count: number
}

const rejoinMs = 200

/** A client that counts in the state of a relay room, alone, and keeps account of what was acknowledged. */
export class RelayWriter {
  readonly #place: Place
  readonly #client: Client
  readonly #chance: Chance
  readonly #attempts: Array<Attempt> = []
  readonly #seen: Array<Seen> = []
  readonly #drops: Array<Drop> = []
  #room: ClientRoom<typeof tally> | null = null
  #count = 0

  constructor(place: Place) {
    this.#place = place
    this.#client = new Client(place.url, { project: place.project })
    this.#chance = Chance.of(0, place.roomId, 1)
  }

  get attempts(): ReadonlyArray<Attempt> {
    return this.#attempts
  }

  get drops(): ReadonlyArray<Drop> {
    return this.#drops
  }

  /** Counts until it is over. */
  async work(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const room = await this.#join().catch(() => null)
      if (room === null) await sleep(rejoinMs)
      else await this.#play(room, isOver)
    }
  }

  /** Comes back once more, as somebody else would, and looks at the number. */
  async end(): Promise<void> {
    await this.#room?.leave()
    await this.#join()
    await this.#room?.leave()
  }

  async #join(): Promise<ClientRoom<typeof tally>> {
    const { roomId } = this.#place
    const room = await this.#client.joinOrCreate(tally, { roomId })
    this.#room = room
    const look = (): void => {
      this.#seen.push({ atMs: performance.now(), count: room.state.sum.count })
    }
    room.onReconnect(look)
    watchDrops(room, this.#drops)
    look()
    return room
  }

  async #play(room: ClientRoom<typeof tally>, isOver: () => boolean): Promise<void> {
    let left = false
    room.onLeave(() => (left = true))
    const { least, most } = this.#place.pauseMs
    while (!left && !isOver()) {
      this.#count += 1
      const count = this.#count
      const sentAtMs = performance.now()
      const answer = await room.set("sum", { count }).then(
        // A relay room has no code that could tell its processes apart.
        () => ({ atMs: performance.now(), boot: 0 }),
        () => null
      )
      this.#attempts.push({ client: 1, seq: count, ticket: count, kind: "plain", sentAtMs, answer })
      await sleep(least + this.#chance.below(most - least))
    }
  }

  /** Acknowledged numbers that a later welcome did not show, and that no kill explains. */
  violations(incidents: ReadonlyArray<Incident>): ReadonlyArray<Violation> {
    const { project, roomId } = this.#place
    const mayBeLost = (atMs: number): boolean =>
      incidents.some(
        ({ kind, atMs: killedAtMs }) =>
          kind === "kill" &&
          killedAtMs - atMs <= RoomLimits.snapshotEvery.ms + slackMs &&
          atMs - killedAtMs <= slackMs
      )
    return this.#attempts.flatMap(({ seq, answer }): ReadonlyArray<Violation> => {
      if (answer === null || mayBeLost(answer.atMs)) return []
      const seen = this.#seen.find(({ atMs, count }) => atMs > answer.atMs && count < seq)
      if (seen === undefined) return []
      const what = `${seq} was acknowledged, and a later welcome said ${seen.count}`
      return [{ rule: "lostPlain", roomId: `${project}/${roomId}`, what }]
    })
  }
}
