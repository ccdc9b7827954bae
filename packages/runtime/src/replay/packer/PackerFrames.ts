import { MomentMsMax } from "@atrium/wire/replay/ChunkLayout"
import { ReplayLimits } from "@atrium/wire/replay/ReplayLimits"
import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"

import { frameOf, HostFrameError, PayloadReader, text } from "../../host/HostFrames.ts"
import type { RoomChunkBytes, StoredChunkBytes } from "./PackFootage.ts"

/**
 * The frames between the service and the process that packs chunks. Beside them it sends those of `boot.ts`: `booted`,
 * `failed` and `log`. The service treats every frame of the process as hostile, as it reads what tenants made.
 */
export const PackerFrame = {
  /** To the process: `text = a descriptor as JSON`, of all chunks from here on. */
  schema: 64,
  /** To the process: `u32 id, f64 from (NaN = whole), rest = a chunk` */
  pack: 65,
  /** From the process: `u32 id, f64 from, f64 to, u32 from tick, u32 to tick, u32 plain bytes, rest = the chunk` */
  packed: 66,
  /** From the process: `u32 id, text why` */
  refused: 67
} as const

/** A refusal says so much at most. */
const WhyBytesMax = 1024

/** The answer of the process to one chunk. */
export type PackAnswer =
  | { readonly _tag: "Packed"; readonly chunk: StoredChunkBytes }
  | { readonly _tag: "Refused"; readonly why: string }

/** Encoders. */
export const PackerFrames = {
  schema: (descriptor: unknown): Uint8Array =>
    frameOf(PackerFrame.schema, text(JSON.stringify(descriptor))),
  pack: (id: number, { bytes, fromMs }: RoomChunkBytes): Uint8Array =>
    frameOf(PackerFrame.pack, { u32: id }, { f64: fromMs ?? Number.NaN }, { rest: bytes }),
  packed: (id: number, chunk: StoredChunkBytes): Uint8Array =>
    frameOf(
      PackerFrame.packed,
      { u32: id },
      { f64: chunk.fromMs },
      { f64: chunk.toMs },
      { u32: chunk.fromTick },
      { u32: chunk.toTick },
      { u32: chunk.plainBytes },
      { rest: chunk.bytes }
    ),
  refused: (id: number, why: string): Uint8Array =>
    frameOf(PackerFrame.refused, { u32: id }, text(why.toWellFormed().slice(0, WhyBytesMax / 4)))
}

/** Reads what the service sent. */
export const readPackOrder = (
  kind: number,
  payload: Uint8Array
):
  | { readonly _tag: "Schema"; readonly descriptor: unknown }
  | { readonly _tag: "Pack"; readonly id: number; readonly chunk: RoomChunkBytes }
  | null => {
  const reader = new PayloadReader(payload)
  if (kind === PackerFrame.schema) {
    // Written by `PackerFrames` of the same version.
    const descriptor: unknown = JSON.parse(reader.text(RuntimeLimits.roomFrameBytes.max))
    return { _tag: "Schema", descriptor }
  }
  if (kind !== PackerFrame.pack) return null
  const id = reader.u32()
  const fromMs = reader.f64()
  const bytes = reader.rest(ReplayLimits.replayChunkBytes.max)
  return { _tag: "Pack", id, chunk: { bytes, fromMs: Number.isNaN(fromMs) ? null : fromMs } }
}

/** Reads an answer of the process, of which nothing is believed. Errors: `HostFrameError`. */
export const readPackAnswer = (
  kind: number,
  payload: Uint8Array
): { readonly id: number; readonly answer: PackAnswer } => {
  const reader = new PayloadReader(payload)
  const id = reader.u32()
  if (kind === PackerFrame.refused) {
    const why = reader.text(WhyBytesMax)
    reader.end()
    return { id, answer: { _tag: "Refused", why } }
  }
  if (kind !== PackerFrame.packed) throw new HostFrameError(`the frame kind ${kind} is unknown`)
  const [fromMs, toMs] = [reader.f64(), reader.f64()]
  const [fromTick, toTick, plainBytes] = [reader.u32(), reader.u32(), reader.u32()]
  if (!(fromMs >= 0 && fromMs <= toMs && toMs <= MomentMsMax && fromTick <= toTick)) {
    throw new HostFrameError("a chunk ends before it begins")
  }
  if (plainBytes > ReplayLimits.replayChunkBytes.max)
    throw new HostFrameError("a chunk is too long")
  // A copy: the payload is a view of what was read.
  const bytes = new Uint8Array(reader.rest(ReplayLimits.replayChunkBytes.max))
  return {
    id,
    answer: { _tag: "Packed", chunk: { bytes, fromMs, toMs, fromTick, toTick, plainBytes } }
  }
}
