import { Schema } from "effect"

import { labelText } from "../shared/LabelText.ts"

/** Characters that no name needs: they move a terminal's cursor or turn the direction of a text. */
const unprintable = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

/** A text from a stranger that somebody reads in a page or a terminal: one line, at most `max` characters. */
export const plainText = (max: number) =>
  labelText(max).check(
    Schema.makeFilter((text) => {
      if (text.trim() === "") return `must have 1 to ${max} characters`
      return !unprintable.test(text) || "must have no control characters"
    })
  )
