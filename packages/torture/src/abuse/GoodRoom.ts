import { joinRoom, type JoinPlace, type Seat } from "@atrium/api/testing/load/RoomSeat"
import type { SourceAddresses } from "@atrium/api/testing/load/SourceAddresses"
import { percentile } from "@atrium/api/testing/load/Statistics"
import { eachOf, upTo } from "@atrium/api/testing/load/Tasks"
import { ServerFrame } from "@atrium/wire/frames/Frame"

import { good, tickHz } from "./rooms/abuseSchemas.ts"

/** How steadily the room's patches came, in ms from one to the next, over all of its clients. */
export interface Steadiness {
  readonly patches: number
  readonly p50: number
  readonly p99: number
  readonly longest: number
}

/** Players who do nothing wrong, and what they notice of those who do. */
export class GoodRoom {
  readonly #seats: Array<Seat> = []
  #gaps: Array<number> = []

  static async join(
    place: JoinPlace,
    from: { readonly clients: number; readonly addresses: SourceAddresses }
  ): Promise<GoodRoom> {
    const room = new GoodRoom()
    await eachOf(upTo(from.clients), 4, async (number) => {
      let lastMs: number | null = null
      const seat = await joinRoom(place, {
        schema: good,
        room: "good",
        player: `good${number}`,
        from: from.addresses.next(),
        hear: (bytes, start) => {
          if (bytes[start + 1] !== ServerFrame.patch) return
          const nowMs = performance.now()
          if (lastMs !== null) room.#gaps.push(nowMs - lastMs)
          lastMs = nowMs
        }
      })
      room.#seats.push(seat)
    })
    return room
  }

  /** What was noted since the last call. */
  taken(): Steadiness {
    const gaps = this.#gaps
    this.#gaps = []
    return {
      patches: gaps.length,
      p50: percentile(gaps, 0.5),
      p99: percentile(gaps, 0.99),
      longest: gaps.reduce((longest, gap) => Math.max(longest, gap), 0)
    }
  }

  /** Patches that should have come in a span. */
  expectedIn(ms: number): number {
    return (this.#seats.length * ms * tickHz) / 1000
  }

  leave(): void {
    for (const { socket } of this.#seats) socket.leave()
  }
}
