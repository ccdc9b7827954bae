import { Context, Effect } from "effect"

/** Hashes with SHA-256. Node does it on threads, whose answers come in any order; the simulation hashes in place. */
export const Sha256 = Context.Reference<
  (bytes: Uint8Array<ArrayBuffer>) => Effect.Effect<ArrayBuffer>
>("@atrium/actors/objects/Sha256", {
  // A large object takes tens of milliseconds.
  defaultValue: () => (bytes) => Effect.promise(() => crypto.subtle.digest("SHA-256", bytes))
})

export const sha256Of = (bytes: Uint8Array): Effect.Effect<Uint8Array<ArrayBuffer>> =>
  Effect.flatMap(Sha256, (hash) =>
    Effect.map(hash(ownBytes(bytes)), (digest) => new Uint8Array(digest))
  )

/** Memory that threads share is copied: it could change while it is hashed or sent. */
export const ownBytes = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => {
  const { buffer, byteOffset, byteLength } = bytes
  return buffer instanceof ArrayBuffer
    ? new Uint8Array(buffer, byteOffset, byteLength)
    : new Uint8Array(bytes)
}
