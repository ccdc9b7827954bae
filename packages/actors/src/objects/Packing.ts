import { promisify } from "node:util"
import { zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from "node:zlib"

import { KiB } from "@atrium/wire/limits/Limit"
import { Context, Effect } from "effect"

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

/**
 * Up to this size a state is packed and unpacked in place, which takes less than a millisecond. To hand it to a thread and
 * back takes longer than that.
 */
const inPlaceBytes = 128 * KiB
/** Bytes that do not get smaller get a little longer. */
const packedBytes = inPlaceBytes + KiB
/** What a thread is asked for at once; by itself Node asks for 16 KiB. */
const chunkBytes = 256 * KiB

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
      bytes.length <= inPlaceBytes
        ? Effect.sync(
            () => new Uint8Array(zstdCompressSync(bytes, { chunkSize: bytes.length + KiB }))
          )
        : Effect.map(
            Effect.tryPromise(() => compress(bytes, { chunkSize: chunkBytes })),
            (packed) => new Uint8Array(packed)
          ),
    unpack: (bytes, mostBytes) =>
      Effect.suspend(() => {
        const small = unpackedInPlace(bytes, mostBytes)
        return small === null ? unpackedByThread(bytes, mostBytes) : Effect.succeed(small)
      })
  })
})

/** @returns `null` = it is not small, or is not packed */
const unpackedInPlace = (bytes: Uint8Array, mostBytes: number): Uint8Array<ArrayBuffer> | null => {
  if (bytes.length > packedBytes) return null
  const maxOutputLength = Math.min(mostBytes, inPlaceBytes)
  try {
    return new Uint8Array(zstdDecompressSync(bytes, { maxOutputLength, chunkSize: inPlaceBytes }))
  } catch {
    // Small bytes may hold a large state: a thread reads it, or says what is wrong.
    return null
  }
}

const unpackedByThread = (bytes: Uint8Array, mostBytes: number) =>
  Effect.map(
    Effect.promise(() => decompress(bytes, { maxOutputLength: mostBytes, chunkSize: chunkBytes })),
    (unpacked) => new Uint8Array(unpacked)
  )
