/** An id has 4 bytes, a handle 8: Rapier packs two numbers into the bits of one. */
const EntryBytes = 12

/** The handles of bodies by the ids of their entities, as bytes. */
export const packHandles = (
  handles: Iterable<readonly [id: number, handle: number]>
): Uint8Array => {
  const entries = [...handles]
  const view = new DataView(new ArrayBuffer(entries.length * EntryBytes))
  for (const [place, [id, handle]] of entries.entries()) {
    view.setUint32(place * EntryBytes, id, true)
    view.setFloat64(place * EntryBytes + 4, handle, true)
  }
  return new Uint8Array(view.buffer)
}

/** Reads them; a rest that is no whole entry is left out. */
export const unpackHandles = (
  bytes: Uint8Array
): ReadonlyArray<readonly [id: number, handle: number]> => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Array.from({ length: Math.floor(bytes.length / EntryBytes) }, (_, place) => [
    view.getUint32(place * EntryBytes, true),
    view.getFloat64(place * EntryBytes + 4, true)
  ])
}
