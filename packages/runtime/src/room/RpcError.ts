/**
 * A refusal that the other side of an RPC may see: thrown in a handler, its code and message reach
 * the caller; a caller gets one when the other side refused. Any other throw reaches the caller as
 * `E_RPC_FAILED` without its text. `code` is `E_` and capitals; the message is cut at 96 bytes.
 */
export class RpcError extends Error {
  override readonly name = "RpcError"
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}
