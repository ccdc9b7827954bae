/** Bytes that are not what they should be. The message ends with the position of the fault. */
export class CodecError extends Error {
  override readonly name = "CodecError"
}
