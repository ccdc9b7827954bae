import { KiB } from "../limits/Limit.ts"
import { ReplayLimits } from "./ReplayLimits.ts"

/** The first byte of a chunk: as it was recorded, or with its values apart. Layout: docs/replay-format.md. */
export const ChunkVersion = { plain: 1, packed: 2 } as const

/** The first byte of an entry. */
export const EntryKind = { end: 0, patch: 1, message: 2 } as const

/** Heads of entries, the end of a chunk, and what compression may add to bytes without any order. */
export const OverheadBytes = 64 * KiB

/** One entry has at most so many bytes, so that a keyframe and an entry always fit into one chunk. */
export const EntryBytesMax =
  ReplayLimits.replayChunkBytes.max - ReplayLimits.keyframeBytes.max - OverheadBytes

/** The latest moment that a date can show. */
export const MomentMsMax = 8.64e15
