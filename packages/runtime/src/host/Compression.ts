/** zstd, on a thread beside that of the room. */
export interface Compression {
  /** @param purpose what is `kept` in the memory of a room is to cost it little time; what is `stored` is to be small */
  compress(bytes: Uint8Array, purpose: "kept" | "stored"): Promise<Uint8Array>
  /** Rejects for bytes that are no frame of zstd, or of more than `bytesMax`. */
  decompress(bytes: Uint8Array, bytesMax: number): Promise<Uint8Array>
}
