import { promisify } from "node:util"
import * as zlib from "node:zlib"

/** Headers of a request for a chunk: Node accepts zstd from 22.15 on. */
export const chunkHeaders: Readonly<Record<string, string>> =
  "zstdDecompress" in zlib ? { "accept-encoding": "zstd" } : {}

/**
 * Decompresses a zstd body, which the `fetch` of Node 22 leaves as it is. Rejects when the result would be longer
 * than `bytesMax`.
 */
export const decompressed = (bytes: Uint8Array, bytesMax: number): Promise<Uint8Array> =>
  "zstdDecompress" in zlib && ZstdMagic.every((byte, at) => bytes[at] === byte)
    ? promisify(zlib.zstdDecompress)(bytes, { maxOutputLength: bytesMax })
    : Promise.resolve(bytes)

/** The first bytes of a zstd frame. Source: RFC 8878, section 3.1.1. No chunk begins with them. */
const ZstdMagic = [0x28, 0xb5, 0x2f, 0xfd]
