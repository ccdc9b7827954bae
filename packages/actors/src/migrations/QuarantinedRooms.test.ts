import { ProjectId, RoomId } from "@atrium/domain/shared/Ids"
import { CapReached, RoomCrashed, TenantWaking } from "@atrium/domain/shared/Refusal"
import { expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

import { tryQuarantined } from "./QuarantinedRooms.ts"

const keys = ["a", "b", "c"].map((roomId) => ({
  projectId: ProjectId.make("p_0123456789abcdef"),
  roomId: RoomId.make(roomId)
}))
const seat = { epoch: 5, serverIndex: 0 }
const message = ""
type Refusal = CapReached | RoomCrashed | TenantWaking

/** Tries three rooms; the first refuses so often. @returns what was asked of them, in its order */
const triedWith = (refusal: Refusal, times = 9) =>
  Effect.gen(function* () {
    const asked: Array<string> = []
    let refusals = 0
    const fiber = yield* Effect.forkChild(
      tryQuarantined({
        found: Effect.succeed(keys),
        wake: ({ roomId }) =>
          Effect.suspend(() => {
            asked.push(`wake ${roomId}`)
            return roomId === "a" && ++refusals <= times
              ? Effect.fail(refusal)
              : Effect.succeed(seat)
          }),
        putAway: ({ roomId }) => Effect.sync(() => void asked.push(`put away ${roomId}`))
      })
    )
    yield* TestClock.adjust("1 minute")
    yield* Fiber.join(fiber)
    return asked.join(", ")
  })

const others = "wake b, put away b, wake c, put away c"

it.effect("[C-993] wakes one room after the other, and leaves one that is not led on", () =>
  Effect.gen(function* () {
    expect(yield* triedWith(new RoomCrashed({ message }))).toBe(`wake a, ${others}`)
    expect(yield* triedWith(new RoomCrashed({ message }), 0)).toBe(`wake a, put away a, ${others}`)
  })
)

it.effect("[C-993] asks an actor again that is waking", () =>
  Effect.gen(function* () {
    expect(yield* triedWith(new TenantWaking({ message }), 2)).toBe(
      `wake a, wake a, wake a, put away a, ${others}`
    )
  })
)

it.effect("[C-993] ends when the project may start no more rooms", () =>
  Effect.gen(function* () {
    expect(yield* triedWith(new TenantWaking({ message }))).toBe("wake a, wake a, wake a, wake a")
    expect(yield* triedWith(new CapReached({ message }))).toBe("wake a")
  })
)
