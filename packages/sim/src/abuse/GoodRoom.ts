import { ServerFrame } from "@atrium/domain/Frame"

import { eachOf, upTo } from "../bench/Bench.ts"
import { joinRoom, type JoinPlace, type Seat } from "../bench/RoomSeat.ts"
import type { SourceAddresses } from "../bench/SourceAddresses.ts"
import { percentile } from "../bench/Statistics.ts"
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
  readonly #seats: ReadonlyArray<Seat>
  #gaps: Array<number>

  private constructor(seats: ReadonlyArray<Seat>, gaps: Array<number>) {
    this.#seats = seats
    this.#gaps = gaps
  }

  static async join(
    place: JoinPlace,
    from: { readonly clients: number; readonly addresses: SourceAddresses }
  ): Promise<GoodRoom> {
    const watch = { room: null as GoodRoom | null }
    const seats = await eachOf(upTo(from.clients), 4, (number) => {
      let lastMs: number | null = null
      return joinRoom(place, {
        ...{ schema: good, room: "good", player: `good${number}` },
        from: from.addresses.next(),
        hear: (bytes, start) => {
          if (bytes[start + 1] !== ServerFrame.patch) return
          const nowMs = performance.now()
          if (lastMs !== null) watch.room?.noted(nowMs - lastMs)
          lastMs = nowMs
        }
      })
    })
    watch.room = new GoodRoom(seats, [])
    return watch.room
  }

  noted(gapMs: number): void {
    this.#gaps.push(gapMs)
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
