import { isDeepStrictEqual } from "node:util"

/** An implementation did not do what a requirement says. */
export class Mismatch extends Error {
  readonly what: string
  readonly expected: string
  readonly actual: string
  constructor(what: string, sides: { readonly expected: unknown; readonly actual: unknown }) {
    const [expected, actual] = [shown(sides.expected), shown(sides.actual)]
    super(`${what}: expected ${expected}, got ${actual}`)
    this.what = what
    this.expected = expected
    this.actual = actual
  }
}

/** Something that a check needs was declared to be there, and is not. Never green. */
export class Untestable extends Error {}

/** Something that a check needs is declared off, or the implementation has no such hook. */
export class Unsupported extends Error {}

export const same = (what: string, actual: unknown, expected: unknown): void => {
  if (!isDeepStrictEqual(actual, expected)) throw new Mismatch(what, { expected, actual })
}

export const holds = (what: string, condition: boolean, actual: unknown): void => {
  if (!condition) throw new Mismatch(what, { expected: "true", actual })
}

export const matches = (what: string, actual: unknown, pattern: RegExp): void => {
  if (typeof actual !== "string" || !pattern.test(actual)) {
    throw new Mismatch(what, { expected: pattern, actual })
  }
}

/** `one of` for what the specification leaves open. */
export const oneOf = (what: string, actual: unknown, options: ReadonlyArray<unknown>): void => {
  if (!options.some((option) => isDeepStrictEqual(option, actual))) {
    throw new Mismatch(what, { expected: options, actual })
  }
}

/**
 * The value that a step of a check got from an answer. A missing value is a failure of the
 * implementation, not of the harness.
 */
export const brought = <A>(
  what: string,
  { status, text }: { readonly status: number; readonly text: string },
  value: A | null
): A => {
  if (value !== null) return value
  throw new Mismatch(what, {
    expected: "what a check needs",
    actual: `${status} ${text.slice(0, 300)}`
  })
}

const shown = (value: unknown): string => {
  if (typeof value === "string") return value
  if (value instanceof RegExp) return String(value)
  return JSON.stringify(value) ?? String(value)
}
