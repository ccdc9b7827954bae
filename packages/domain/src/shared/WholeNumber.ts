import type { RangeLimit } from "@atrium/wire/limits/Limit"
import { Schema } from "effect"

/** A whole number within a range, refused by one sentence whatever else it is. */
export const wholeNumber = ({ min, max }: Pick<RangeLimit, "min" | "max">) => {
  const message = `must be a whole number from ${min} to ${max}`
  return Schema.Number.annotate({ message }).check(
    Schema.isInt({ message }),
    Schema.isBetween({ minimum: min, maximum: max }, { message })
  )
}

/** The same, or `null`: what is in force when nobody has chosen. */
export const wholeNumberOrNull = (range: Pick<RangeLimit, "min" | "max">) =>
  Schema.NullOr(wholeNumber(range)).annotate({
    message: `must be a whole number from ${range.min} to ${range.max}, or null`
  })
