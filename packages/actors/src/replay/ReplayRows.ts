import { ProjectId, type RoomKey } from "@atrium/domain/shared/Ids"
import { Schema } from "effect"

/** What a replay is stored as, but for its chunks. Moments are Unix milliseconds of the service's clock. */
export const ReplayRow = Schema.Struct({
  replayId: Schema.String,
  projectId: ProjectId,
  roomId: Schema.String,
  type: Schema.String,
  version: Schema.Int,
  kind: Schema.Literals(["clip", "recording"]),
  /** The footage begins and ends. */
  startsAtMs: Schema.Int,
  endsAtMs: Schema.Int,
  bytes: Schema.Int,
  chunks: Schema.Int,
  createdAtMs: Schema.Int,
  expiresAtMs: Schema.Int,
  /** The incarnation that may add to a recording; 0 = it is over. */
  epoch: Schema.Int,
  running: Schema.Boolean
})
export type ReplayRow = typeof ReplayRow.Type

/** A chunk that is to be stored. */
export interface NewChunk {
  readonly bytes: Uint8Array
  readonly fromMs: number
  readonly toMs: number
  readonly fromTick: number
  readonly toTick: number
  /** Before it was packed. */
  readonly plainBytes: number
}

/** The facts of a stored chunk, which need no reading of it. */
export interface ChunkFacts extends Omit<NewChunk, "bytes"> {
  readonly index: number
  readonly bytes: number
  /** Names its bytes. */
  readonly hash: string
}

/** A replay that is begun. */
export interface NewReplay {
  readonly replayId: string
  readonly key: RoomKey
  readonly type: string
  readonly version: number
  readonly ttlMs: number
}

/** The incarnation of a room that adds to its recording. */
export interface Recorder extends NewReplay {
  readonly epoch: number
  /** A chunk of it is stored: a row that is gone by now has expired, or was deleted. */
  readonly begun: boolean
}

/** The row of a replay with these chunks, which are its first. */
export const rowOf = (
  { replayId, key, type, version, ttlMs }: NewReplay,
  chunks: ReadonlyArray<NewChunk>,
  nowMs: number
) => ({
  replayId,
  projectId: key.projectId,
  roomId: key.roomId,
  type,
  version,
  startsAtMs: chunks[0]?.fromMs ?? nowMs,
  endsAtMs: chunks.at(-1)?.toMs ?? nowMs,
  bytes: chunks.reduce((sum, { bytes }) => sum + bytes.length, 0),
  chunks: chunks.length,
  createdAtMs: nowMs,
  expiresAtMs: nowMs + ttlMs
})

/** What a chunk says of itself in the list of objects. */
export const ChunkManifest = Schema.Struct({
  fromMs: Schema.Int,
  toMs: Schema.Int,
  fromTick: Schema.Int,
  toTick: Schema.Int,
  plainBytes: Schema.Int,
  hash: Schema.String
})

/** The folder of all replays, by project. */
export const replayFolder = "replays"

export const replayPrefix = ({
  projectId,
  replayId
}: Pick<ReplayRow, "projectId" | "replayId">): string => `${replayFolder}/${projectId}/${replayId}/`

/** The index has leading zeros, so that the order of keys is that of the chunks. */
export const chunkKey = (
  replay: Pick<ReplayRow, "projectId" | "replayId">,
  index: number
): string => `${replayPrefix(replay)}${String(index).padStart(6, "0")}`
