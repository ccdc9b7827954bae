import { Schema } from "effect"

/** A moment of the service's clock: ISO 8601 in UTC with milliseconds. Source: D-07. */
export const Moment = Schema.String.annotate({
  format: "date-time",
  examples: ["2026-11-21T11:44:00.123Z"]
})
