import { Schedule } from "effect"

/** Soon at first, then every two seconds: who cannot go on without the store asks as long as it must. */
export const untilBack = Schedule.min([
  Schedule.exponential("100 millis"),
  Schedule.spaced("2 seconds")
])

/** Attempts over about a minute: a database that restarts is no reason to lose a score or an alarm. */
export const aboutAMinute = { schedule: Schedule.exponential("100 millis"), times: 9 }
