import { Effect } from "effect"

/** SHA-256. Node hashes on another thread: a large object takes tens of milliseconds. */
export const sha256Of = (bytes: Uint8Array): Effect.Effect<Uint8Array<ArrayBuffer>> =>
  Effect.map(
    Effect.promise(() => crypto.subtle.digest("SHA-256", ownBytes(bytes))),
    (digest) => new Uint8Array(digest)
  )

/** Memory that threads share is copied: it could change while it is hashed or sent. */
export const ownBytes = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => {
  const { buffer, byteOffset, byteLength } = bytes
  return buffer instanceof ArrayBuffer
    ? new Uint8Array(buffer, byteOffset, byteLength)
    : new Uint8Array(bytes)
}
