/** zstd, on a thread beside that of the room. */
export interface Compression {
  compress(bytes: Uint8Array): Promise<Uint8Array>
  /** Rejects for bytes that are no frame of zstd, or of more than `bytesMax`. */
  decompress(bytes: Uint8Array, bytesMax: number): Promise<Uint8Array>
}
