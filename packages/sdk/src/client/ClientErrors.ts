/** A join that did not come about. */
export class JoinError extends Error {
  /** `E_…`, as the service said it, or the client's own: `E_UNREACHABLE`, `E_SCHEMA_MISMATCH`. */
  readonly code: string
  /** The WebSocket close code; `null` when no close was received. */
  readonly closeCode: number | null
  /** The message without the code. */
  readonly reason: string

  constructor(
    refusal: { readonly code: string; readonly message: string },
    closeCode: number | null
  ) {
    super(`${refusal.code}: ${refusal.message}`)
    this.name = "JoinError"
    this.code = refusal.code
    this.closeCode = closeCode
    this.reason = refusal.message
  }
}

/** A request that was refused, or whose answer did not come. Room code may throw it too. */
export class RequestError extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.name = "RequestError"
    this.code = code
  }
}

/** What cannot be sent: too large, not plain data, no room in the queue, or the room was left. */
export class SendError extends Error {
  readonly code: "E_QUEUE_FULL" | "E_FRAME_TOO_LARGE" | "E_LEFT" | "E_NOT_PLAIN" | "E_UNKNOWN_NAME"

  constructor(code: SendError["code"], message: string) {
    super(message)
    this.name = "SendError"
    this.code = code
  }
}
