import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { roomKeyText } from "@atrium/domain/shared/Ids"

import type { RoomReport } from "./RoomCensus.ts"

interface Reported {
  readonly epoch: number
  readonly clients: number
  readonly entered: boolean
}

/** Picks the rooms of a runner to report now: at times all of them, else the rooms that changed. */
export class RoomCounts {
  #reported = new Map<string, Reported>()
  #allAtMs = -Infinity

  /**
   * The reports to write now. They count as written: {@link forget} them when that fails.
   *
   * @param now every room that is awake
   */
  due(now: ReadonlyArray<RoomReport>, nowMs: number): ReadonlyArray<RoomReport> {
    // A clock that was set back must not keep rooms unreported.
    const spanMs = Math.abs(nowMs - this.#allAtMs)
    if (spanMs >= RoomLimits.reportEvery.ms) {
      this.#allAtMs = nowMs
      this.#reported = new Map(now.map((report) => [roomKeyText(report), report]))
      return now
    }
    return now.filter((report) => {
      const key = roomKeyText(report)
      const last = this.#reported.get(key)
      // A row keeps no number of an incarnation before.
      const same =
        last?.epoch === report.epoch &&
        last.clients === report.clients &&
        last.entered === report.entered
      if (same) return false
      this.#reported.set(key, report)
      return true
    })
  }

  /** Nothing is known to be written: every room is due at the next look. */
  forget(): void {
    this.#allAtMs = -Infinity
  }
}
