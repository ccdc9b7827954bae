import { CodecError } from "../codec/CodecError.ts"
import type { StateView } from "../codec/StateView.ts"
import type { AnyRoomSchema } from "../schema/RoomSchema.ts"
import { ChunkReader } from "./ChunkReader.ts"
import { ChunkWriter } from "./ChunkWriter.ts"

/**
 * Cuts off what a chunk has before a moment: the rest begins there with a keyframe of its own. A chunk
 * that begins then or later stays as it is. Errors: `CodecError`.
 *
 * @param chunk plain
 * @param view of the chunk's schema; it is overwritten
 */
export const cutChunk = (
  chunk: Uint8Array,
  fromMs: number,
  view: StateView<AnyRoomSchema>
): Uint8Array => {
  const reader = new ChunkReader(chunk)
  const { keyframe } = reader
  if (keyframe.atMs >= fromMs) return chunk
  view.applyFull(keyframe.state)
  let { tick } = keyframe
  let writer: ChunkWriter | null = null
  /** A patch of the very moment is in the state of the cut; a message of it is heard. */
  const heard: Array<Uint8Array> = []
  for (let entry = reader.next(); entry !== null; entry = reader.next()) {
    if (entry.kind !== "end" && entry.atMs <= fromMs) {
      if (entry.kind === "patch") view.applyDelta(entry.bytes)
      else if (entry.atMs === fromMs) heard.push(entry.bytes)
      tick = entry.tick
      continue
    }
    if (writer === null) {
      writer = new ChunkWriter({ atMs: fromMs, tick, state: view.encodeFull() })
      for (const message of heard) writer.message(fromMs, message)
    }
    if (entry.kind === "end") return writer.finish(entry.atMs)
    if (entry.kind === "patch") writer.patch(entry.atMs, entry.bytes)
    else writer.message(entry.atMs, entry.bytes)
  }
  throw new CodecError("a chunk without an end")
}
