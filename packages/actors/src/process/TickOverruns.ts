import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import { HostFrameError } from "@atrium/runtime/host/HostFrames"
import { SchemaLimits } from "@atrium/wire/schema/SchemaLimits"

import { RestPingEveryMs } from "./ProcessPace.ts"
import type { RoomProcessListener } from "./RoomProcess.ts"

/** The longest time between two pongs of a process that is not ended for its silence. */
const betweenPongsMs = RestPingEveryMs + RoomProcessLimits.roomBusyAnswer.ms

/** No room has more ticks in that time: a process that tells more counts for so many. */
export const OverrunsOfPongMax = Math.ceil((betweenPongsMs / 1000) * SchemaLimits.tickHz.max)

/** The ticks of one room process that overran, as its pongs tell them. */
export class TickOverruns {
  #told = 0

  /** Tells the listener of those that are new. Errors: `HostFrameError`, as {@link since}. */
  heard(told: number | null, listener: Pick<RoomProcessListener, "ticksOverran"> | null): void {
    const ticks = this.since(told)
    if (ticks > 0) listener?.ticksOverran(ticks)
  }

  /**
   * @param told all since the start of the room; `null` = its code does not count them
   * @returns those since the last pong. Errors: `HostFrameError` when a pong takes some back
   */
  since(told: number | null): number {
    if (told === null) return 0
    const more = told - this.#told
    if (more < 0) throw new HostFrameError("a pong takes back ticks that overran")
    this.#told = told
    return Math.min(more, OverrunsOfPongMax)
  }
}
