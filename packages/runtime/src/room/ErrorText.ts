/** The stack of anything that was thrown; never throws, whatever the thing does. */
export const stackOf = (error: unknown): string => {
  try {
    if (error instanceof Error) {
      const stack = error.stack
      return typeof stack === "string" && stack !== "" ? stack : String(error)
    }
    return `thrown: ${String(error)}`
  } catch {
    return "an error that cannot be shown was thrown"
  }
}

/** The message of anything that was thrown; never throws. */
export const messageOf = (error: unknown): string => {
  try {
    return error instanceof Error ? String(error.message) : String(error)
  } catch {
    return "an error that cannot be shown was thrown"
  }
}

export const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function"
