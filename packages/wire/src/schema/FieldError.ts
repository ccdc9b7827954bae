/**
 * A value that does not fit its declared field. Nothing of it was stored or sent, and nothing was
 * trimmed. The message starts with the culprit (`players.hp: …`, `players.hand[2].suit: …`). Source:
 * spec Errors rule 1.
 */
export class FieldError extends Error {
  override readonly name = "FieldError"
}

/** A problem with its path before it. The problem may start with the rest of the path. */
export const problemAt = (path: string, problem: string): string =>
  path === "" || /^[[. ]/.test(problem) ? path + problem : `${path}: ${problem}`
