import { promisify } from "node:util"
import { zstdCompress, zstdDecompress } from "node:zlib"

import { Context, Effect } from "effect"

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

/**
 * Makes stored states small. Node compresses on threads of its own, whose answers come in any order;
 * the simulation stores states as they are.
 */
export const Packing = Context.Reference<{
  pack(bytes: Uint8Array): Effect.Effect<Uint8Array, unknown>
  /** Dies of bytes that are not packed, or that unpack to more than `mostBytes`. */
  unpack(bytes: Uint8Array, mostBytes: number): Effect.Effect<Uint8Array<ArrayBuffer>>
}>("@atrium/actors/objects/Packing", {
  defaultValue: () => ({
    pack: (bytes) =>
      Effect.map(
        Effect.tryPromise(() => compress(bytes)),
        (packed) => new Uint8Array(packed)
      ),
    unpack: (bytes, mostBytes) =>
      Effect.map(
        Effect.promise(() => decompress(bytes, { maxOutputLength: mostBytes })),
        (unpacked) => new Uint8Array(unpacked)
      )
  })
})
