import { Schema } from "effect"

/**
 * Text that people read, of 1 to `max` characters (code points). What the store cannot hold as it was
 * given is refused: half of a surrogate pair, and U+0000.
 */
export const labelText = (max: number) =>
  Schema.String.check(
    Schema.makeFilter(
      (text) => {
        if (!text.isWellFormed() || text.includes("\0"))
          return "must be whole characters without U+0000"
        // As many units as that many code points have at most: longer ones need no counting.
        const fits = text.length <= 2 * max && [...text].length <= max
        return (text !== "" && fits) || `must have 1 to ${max} characters`
      },
      { toJsonSchema: () => ({ minLength: 1, maxLength: max }) }
    )
  )
