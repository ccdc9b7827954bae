/**
 * A value that does not fit its declared field. Nothing of it was stored or sent, and nothing was
 * trimmed. The message starts with the culprit (`players.hp: …`). Source: spec Errors rule 1.
 */
export class FieldError extends Error {
  override readonly name = "FieldError"
}
