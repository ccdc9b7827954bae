import { DateTime, Option, Schema } from "effect"

const isMoment = (text: string): boolean =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/.test(text) && Option.isSome(DateTime.make(text))

/** The query parameter of a read that goes back to a moment. */
export const sinceQuery = Schema.optionalKey(
  Schema.String.check(
    Schema.makeFilter(
      (text) => isMoment(text) || "must be a moment in UTC such as 2026-11-21T11:44:00Z"
    )
  )
)

/** The query parameter of a read that bounds its rows. @param max of four digits at most */
export const limitQuery = (max: number) =>
  Schema.optionalKey(
    Schema.String.check(
      Schema.makeFilter(
        (text) =>
          (/^[1-9]\d{0,3}$/.test(text) && Number(text) <= max) ||
          `must be a whole number from 1 to ${max}`
      )
    )
  )
