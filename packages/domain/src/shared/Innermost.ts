/** The error at the end of a chain of causes: it says what went wrong, the others where. */
export const innermost = (error: unknown): unknown => {
  let inner = error
  while (inner instanceof Error && inner.cause instanceof Error) inner = inner.cause
  return inner
}

/** The message of the innermost error. */
export const innermostReason = (error: unknown): string => {
  const inner = innermost(error)
  return inner instanceof Error ? inner.message : String(inner)
}
