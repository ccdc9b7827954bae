import { Effect, Schema } from "effect"

import { type Hooks, verb } from "./Hook.ts"
import type { MovableClock } from "./MovableClock.ts"

/** The longest advance at once, a year: no rule names a longer span. */
const advanceMsMax = 366 * 86_400_000

const Span = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: advanceMsMax }))

export const clockHooks = (clock: MovableClock): Hooks => {
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
