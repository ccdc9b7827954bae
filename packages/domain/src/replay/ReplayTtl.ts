import { durationMs } from "@atrium/wire/time/Duration"
import { Schema } from "effect"

/** How long a replay is kept, in words. */
export const ReplayTtl = Schema.String.check(
  Schema.makeFilter(
    (text) =>
      durationMs(text) !== null || "must be a duration such as 10m, 36h or 30d, from 1m to 3650d"
  )
)
