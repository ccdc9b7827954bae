import type { LogIngest } from "@atrium/domain/logs/LogIngest"
import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import type { LogLevel } from "@atrium/runtime/host/HostFrames"

interface RoomLogParts {
  /** The bytes that the room's project may still log. */
  readonly ingest: LogIngest
  readonly nowMs: () => number
  /** Puts sources into a line that may be a stack; never rejects. */
  readonly mapStack: (line: string) => string | Promise<string>
  readonly write: (level: LogLevel, line: string) => void
  /** Hears of each line past what the project may log. */
  readonly dropped: () => void
}

interface LogEntry {
  readonly level: LogLevel
  readonly line: string
}

/**
 * The log of one room. Lines are counted before anything looks at them, and written in their order:
 * those behind a stack wait for it.
 */
export class RoomLog {
  readonly #parts: RoomLogParts
  #waiting: Array<LogEntry> = []
  #mapping: Promise<void> | null = null

  constructor(parts: RoomLogParts) {
    this.#parts = parts
  }

  /** @param line within the limit of a log line */
  say(level: LogLevel, line: string): void {
    const { ingest, nowMs, mapStack, write, dropped } = this.#parts
    if (!ingest.take(Buffer.byteLength(line), nowMs())) return dropped()
    if (this.#mapping !== null) return void this.#waiting.push({ level, line })
    const mapped = mapStack(line)
    if (typeof mapped === "string") return write(level, mapped)
    this.#mapping = this.#writeBehind(level, mapped)
  }

  /** Resolves when all that has been said is written. */
  async written(): Promise<void> {
    await this.#mapping
  }

  async #writeBehind(first: LogLevel, stack: Promise<string>): Promise<void> {
    this.#parts.write(first, await stack)
    while (this.#waiting.length > 0) {
      const entries = this.#waiting
      this.#waiting = []
      for (const [index, { level, line }] of entries.entries()) {
        const behind = entries.length - index - 1 + this.#waiting.length
        const mapped =
          behind > RoomProcessLimits.roomLinesWaiting.max ? line : this.#parts.mapStack(line)
        this.#parts.write(level, typeof mapped === "string" ? mapped : await mapped)
      }
    }
    this.#mapping = null
  }
}
