/**
 * A join that did not come about.
 *
 * Codes of the client itself, which no frame carries: `E_UNREACHABLE` (nothing answers),
 * `E_JOIN_TIMEOUT` (no welcome in time), `E_SILENT` (a connection without a sign of life),
 * `E_PROTOCOL` (an answer that is not of the protocol), `E_SCHEMA_MISMATCH` (the room's schema
 * cannot be read with the client's), `E_PROJECT_REQUIRED` (no project, and not on localhost),
 * `E_TOKEN` (`getToken` failed), `E_BAD_TOKEN` (not a reconnection token).
 */
export class JoinError extends Error {
  /** `E_…`, as the service said it, or one of the client's own. */
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

/**
 * A request that was refused, or whose answer did not come. Room code may throw it too. The client's
 * own codes: `E_DISCONNECTED` (the connection ended first), `E_ROOM_RESTARTED` (the room's process
 * did) and `E_NO_MATCH` (of quick match: no room was found). A request that fails with one of these may or may not have been carried out.
 */
export class RequestError extends Error {
  /** `E_…`, as room code or the service said it, or one of the client's own. */
  readonly code: string
  /** For `E_RATE_LIMITED` of an HTTP request, the time until there is an allowance again; else `null`. */
  readonly retryAfterMs: number | null

  constructor(code: string, message: string, retryAfterMs: number | null = null) {
    super(message)
    this.name = "RequestError"
    this.code = code
    this.retryAfterMs = retryAfterMs
  }
}

/** The text of whatever was thrown. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

/** Why answers do not come any more. */
export const answerLosses = {
  disconnect: { code: "E_DISCONNECTED", says: "the connection ended before the answer" },
  restart: { code: "E_ROOM_RESTARTED", says: "the room was started again before the answer" }
} as const
export type AnswerLoss = keyof typeof answerLosses

/** A value that cannot be sent: too large, not plain data, no room in the queue, or the room was left. */
export class SendError extends Error {
  readonly code: "E_QUEUE_FULL" | "E_FRAME_TOO_LARGE" | "E_LEFT" | "E_NOT_PLAIN" | "E_UNKNOWN_NAME"

  constructor(code: SendError["code"], message: string) {
    super(message)
    this.name = "SendError"
    this.code = code
  }
}
