import { makeStateView } from "@atrium/wire/codec/StateView"
import { cutChunk } from "@atrium/wire/replay/CutChunk"
import { type PackedChunk, packChunk } from "@atrium/wire/replay/PackChunk"
import { ReplayLimits } from "@atrium/wire/replay/ReplayLimits"
import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"

import type { Compression } from "../../host/Compression.ts"

/** A chunk as a room made it, which nobody has read yet. */
export interface RoomChunkBytes {
  /** Compressed. */
  readonly bytes: Uint8Array
  /** Footage before this moment is cut off; `null` = the chunk stays whole. Unix milliseconds. */
  readonly fromMs: number | null
}

/** A chunk as it is stored. */
export interface StoredChunkBytes extends PackedChunk {
  /** Bytes of the footage before its values were put apart and compressed. */
  readonly plainBytes: number
}

/**
 * Makes a chunk of a room one that is stored: reads all of it, cuts it, puts its values apart and compresses it. Rejects
 * for bytes that are not what a room may record.
 */
export const packFootage = async (
  compression: Compression,
  schema: AnyRoomSchema,
  { bytes, fromMs }: RoomChunkBytes
): Promise<StoredChunkBytes> => {
  const whole = await compression.decompress(bytes, ReplayLimits.replayChunkBytes.max)
  const plain = fromMs === null ? whole : cutChunk(whole, fromMs, makeStateView(schema))
  const packed = packChunk(schema, plain)
  const stored = await compression.compress(packed.bytes, "stored")
  return { ...packed, plainBytes: plain.length, bytes: stored }
}
