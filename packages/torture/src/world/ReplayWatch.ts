import { usesIn } from "@atrium/actors/meters/MemoryMeters"
import { objectTable } from "@atrium/actors/objects/ObjectStore"
import type { PlayedAnswer } from "@atrium/actors/process/testing/MemoryRoomProcess"
import { chunkIn } from "@atrium/actors/process/testing/PlayedFootage"
import { replayTable } from "@atrium/actors/replay/MemoryReplays"
import { chunkKey, replayFolder, type ReplayRow } from "@atrium/actors/replay/ReplayRows"
import type { MemoryTables } from "@atrium/actors/store/MemoryDatabase"
import { billingPeriod } from "@atrium/domain/meters/Caps"
import { ReplayStoreLimits } from "@atrium/domain/replay/ReplayStoreLimits"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { Schema } from "effect"

import { outcomeOf } from "./CallOutcome.ts"
import { type WatchedGames, watchRows } from "./TableWatch.ts"
import type { Timeline } from "./Timeline.ts"
import { Violation } from "./Violation.ts"

interface Asked {
  readonly room: string
  readonly does: "clip" | "record" | "stop"
}

const readClip = Schema.decodeUnknownSync(Schema.Struct({ clipId: Schema.String }))
const readStop = Schema.decodeUnknownSync(
  Schema.Struct({ replayId: Schema.String, bytes: Schema.Int })
)

/**
 * Clips that were told are stored, all of each, until they expire. A recording has each chunk once, in order, of one
 * incarnation after the other. Nothing is stored of what was refused or has expired, and what is stored is metered.
 */
export class ReplayWatch {
  readonly #timeline: Timeline
  readonly #tables: MemoryTables
  readonly #checked: (check: () => void) => void
  readonly #nextCall: () => number
  readonly #asked = new Map<number, Asked>()
  /** Clips by room: asked for and not refused, and stored. */
  readonly #wanted = new Map<string, number>()
  readonly #made = new Map<string, Set<string>>()
  /** Bytes of recordings when their rooms had ended them. */
  readonly #stopped = new Map<string, number>()
  clips = 0
  chunks = 0

  constructor(watched: WatchedGames, nextCall: () => number) {
    this.#timeline = watched.timeline
    this.#tables = watched.tables
    this.#checked = (check) => watched.checked(check)
    this.#nextCall = nextCall
    watchRows(replayTable.rowsIn(watched.tables), (replayId, row) => {
      if (row.kind === "clip") this.#madeOf(roomOf(row)).add(replayId)
      this.#checked(() => this.#checkWhole(row))
    })
  }

  /** @param brief it expires while the world lives */
  clip(room: string, brief: boolean) {
    this.#wanted.set(room, (this.#wanted.get(room) ?? 0) + 1)
    const payload = { ttl: brief ? "1m" : "3650d", fromMs: 0, chunks: [1, 2] }
    return { ...this.#call({ room, does: "clip" }), name: "replay.clip", payload }
  }

  record(room: string) {
    return {
      ...this.#call({ room, does: "record" }),
      name: "replay.record",
      payload: { ttl: "3650d" }
    }
  }

  stop(room: string) {
    return { ...this.#call({ room, does: "stop" }), name: "replay.stop", payload: {} }
  }

  #call(asked: Asked) {
    const call = this.#nextCall()
    this.#asked.set(call, asked)
    return { does: "call", call } as const
  }

  answered(answer: PlayedAnswer): void {
    const asked = this.#asked.get(answer.call)
    if (asked === undefined) return
    this.#asked.delete(answer.call)
    const outcome = outcomeOf(answer)
    if (asked.does === "clip" && outcome === "refused") {
      this.#wanted.set(asked.room, (this.#wanted.get(asked.room) ?? 0) - 1)
    }
    if (outcome !== "done") return
    if (asked.does === "clip") this.#checked(() => this.#told(asked.room, answer))
    if (asked.does !== "stop") return
    const { replayId, bytes } = readStop(answer.answer?.value)
    this.#stopped.set(replayId, bytes)
  }

  #told(room: string, { answer }: PlayedAnswer): void {
    const { clipId } = readClip(answer?.value)
    if (this.#madeOf(room).has(clipId)) this.clips++
    else
      throw new Violation("replays", `${room} was told of the clip ${clipId}, which is not stored`)
  }

  /** Recordings that run, as the store has them. */
  get running(): number {
    return [...replayTable.rowsIn(this.#tables).values()].filter(({ running }) => running).length
  }

  #madeOf(room: string): Set<string> {
    const known = this.#made.get(room) ?? new Set<string>()
    this.#made.set(room, known)
    return known
  }

  /** Its chunks are there, with its bytes; those of a recording in their order. */
  #checkWhole(row: ReplayRow): void {
    const objects = objectTable.rowsIn(this.#tables)
    let bytes = 0
    let before = { epoch: 0, number: 0 }
    for (let index = 0; index < row.chunks; index++) {
      const object = objects.get(chunkKey(row, index))
      if (object === undefined) throw this.#broken(row, `has no chunk ${index}`)
      bytes += object.bytes.length
      const chunk = chunkIn(object.bytes)
      const follows =
        chunk.epoch > before.epoch || (chunk.epoch === before.epoch && chunk.number > before.number)
      if (!follows) throw this.#broken(row, `has chunk ${index} twice, or too late`)
      before = chunk
    }
    if (bytes !== row.bytes) throw this.#broken(row, `says ${row.bytes} bytes and has ${bytes}`)
  }

  #broken(row: ReplayRow, says: string): Violation {
    return new Violation("replays", `the ${row.kind} of ${roomOf(row)} ${says}`)
  }

  /** All rooms sleep, and the sweep has looked since. */
  checkRest(): void {
    const rows = replayTable.rowsIn(this.#tables)
    const chunks = new Set<string>()
    for (const row of rows.values()) {
      this.#checkWhole(row)
      for (let index = 0; index < row.chunks; index++) chunks.add(chunkKey(row, index))
      if (row.kind === "recording") this.chunks += row.chunks
      if (row.running) throw this.#broken(row, "runs on, though its room sleeps")
      if (row.bytes < (this.#stopped.get(row.replayId) ?? 0)) {
        throw this.#broken(row, "has lost chunks that its room was told of")
      }
      const overMs = this.#timeline.nowMs - row.expiresAtMs
      if (overMs > 2 * ReplayStoreLimits.replaySweep.ms) {
        throw this.#broken(row, "has expired, and is stored")
      }
    }
    for (const key of objectTable.rowsIn(this.#tables).keys()) {
      if (!key.startsWith(`${replayFolder}/`) || chunks.has(key)) continue
      throw new Violation("replays", `${key} is of no replay`)
    }
    for (const [room, made] of this.#made) {
      const wanted = this.#wanted.get(room) ?? 0
      if (made.size > wanted) {
        throw new Violation("replays", `${room} has ${made.size} clips of ${wanted} that it wanted`)
      }
    }
  }

  /** The meter has looked since the last change. */
  checkMeter(projectId: ProjectId): void {
    let stored = 0
    for (const row of replayTable.rowsIn(this.#tables).values()) {
      if (row.projectId === projectId) stored += row.bytes
    }
    const { startMs } = billingPeriod(this.#timeline.nowMs)
    const { storageBytes } = usesIn(this.#tables, { projectId, startMs })
    if (storageBytes !== stored) {
      throw new Violation("meters", `${projectId}: ${storageBytes} bytes count of ${stored}`)
    }
  }
}

const roomOf = ({ projectId, roomId }: ReplayRow): string => `${projectId}/${roomId}`
