import { Effect, Schema } from "effect"

import { ControlTools } from "../control/ControlTools.ts"
import { type Hooks, verb } from "../control/Hook.ts"
import type { MovableClock } from "../control/MovableClock.ts"

/** The longest advance at once, a year: no rule names a longer span. */
const advanceMsMax = 366 * 86_400_000

const Span = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: advanceMsMax }))

const hooksOf = (clock: MovableClock): Hooks => {
  const now = Effect.map(clock.currentTimeMillis, (nowMs) => ({ nowMs, held: clock.held }))
  return {
    "clock/now": verb(Schema.Struct({}), () => now),
    "clock/advance": verb(Schema.Struct({ ms: Span }), ({ ms }) =>
      Effect.andThen(clock.advance(ms), now)
    ),
    "clock/hold": verb(Schema.Struct({ held: Schema.Boolean }), ({ held }) =>
      Effect.andThen(clock.hold(held), now)
    )
  }
}

/** Reads, moves and holds the clock. */
export const hooks = Effect.map(ControlTools, ({ clock }) => hooksOf(clock))
