import { QueueLimits } from "@atrium/domain/match/QueueLimits"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

import { keepSeats } from "./KeepSeats.ts"
import { KeptSeats } from "./KeptSeats.ts"

it.effect("[limits.seatReserved] a seat that is kept for a player is anybody's after 15 s", () =>
  Effect.gen(function* () {
    const seats = new KeptSeats(() => new Map())
    const { ms } = QueueLimits.seatReserved
    const keeps = (player: string) => keepSeats(seats, { players: [player], untilMs: ms }, 1)
    expect(yield* keeps("ann")).toBe(true)
    yield* TestClock.adjust(ms - 1)
    expect(yield* keeps("bob")).toBe(false)
    yield* TestClock.adjust(1)
    expect(yield* keeps("bob")).toBe(true)
  })
)
