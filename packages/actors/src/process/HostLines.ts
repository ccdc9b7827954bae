import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import type { LogLevel } from "@atrium/runtime/host/HostFrames"
import { cutLogLine } from "@atrium/wire/text/LogLine"

import type { FrameMeter } from "./FrameMeter.ts"
import type { RoomProcessListener } from "./RoomProcess.ts"

/** Lines of a process. Those from before its room is up wait, and the room's listener gets them first. */
export class HostLines {
  readonly #meter: FrameMeter
  #listener: RoomProcessListener | null = null
  #early: Array<readonly [LogLevel, string]> = []

  constructor(meter: FrameMeter) {
    this.#meter = meter
  }

  listens(listener: RoomProcessListener): void {
    this.#listener = listener
    const lines = this.#early
    this.#early = []
    for (const [level, line] of lines) listener.log(level, line)
  }

  log(level: LogLevel, line: string): void {
    const kept = cutLogLine(line)
    if (!this.#meter.line(Buffer.byteLength(kept))) return this.#listener?.lineDropped()
    if (this.#listener !== null) return this.#listener.log(level, kept)
    if (this.#early.length < RoomProcessLimits.roomEarlyLines.max) this.#early.push([level, kept])
  }
}
