import { Clock, Effect } from "effect"

import { sleepByRule } from "../clock/RuleTime.ts"
import type { KeptSeats, SeatsFor } from "./KeptSeats.ts"

/** Keeps seats of a room until their time is over. @returns whether there are so many */
export const keepSeats = Effect.fnUntraced(function* (
  seats: KeptSeats,
  wanted: SeatsFor,
  seatsMax: number
) {
  if (!seats.keep(wanted, seatsMax)) return false
  const nowMs = yield* Clock.currentTimeMillis
  const lapse = Effect.map(Clock.currentTimeMillis, (atMs) => seats.lapse(atMs))
  yield* Effect.forkScoped(Effect.andThen(sleepByRule(Math.max(0, wanted.untilMs - nowMs)), lapse))
  return true
})
