import { ProjectLimits } from "@atrium/domain/projects/ProjectLimits"
import { ProjectId, type RoomKey } from "@atrium/domain/shared/Ids"
import { ServiceLimits } from "@atrium/domain/shared/ServiceLimits"
import { expect, it } from "@effect/vitest"
import { Effect, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"

import { newRoomKey } from "../store/testing/TestStores.ts"
import { purge, type PurgePort } from "./ProjectPurge.ts"

const projectId = ProjectId.make("p_0123456789abcdef")
const project = { projectId, deletedAtMs: 0 }

/** A deleted project with so many parts stored and these rooms up, and what becomes of it. */
const makePort = (parts: number, up: ReadonlyArray<RoomKey> = []) => {
  const state = {
    parts,
    up: [...up],
    evicted: [] as Array<RoomKey>,
    purged: 0,
    way: Effect.void as Effect.Effect<unknown, unknown>
  }
  const port: PurgePort = {
    up: () => Effect.sync(() => [...state.up]),
    evict: (key) =>
      Effect.suspend(() => {
        state.evicted.push(key)
        return Effect.tap(state.way, () =>
          Effect.sync(() => {
            state.up = state.up.filter((each) => each !== key)
          })
        )
      }),
    removeSome: () =>
      Effect.sync(() => {
        if (state.parts === 0) return 0
        state.parts--
        return 1000
      }),
    purged: () => Effect.sync(() => void state.purged++)
  }
  return { state, port }
}

it.effect("[C-71] rooms that are up go first, then all parts, in one look", () =>
  Effect.gen(function* () {
    const up = Array.from({ length: 20 }, newRoomKey)
    const { state, port } = makePort(7, up)
    const order: Array<string> = []
    const removeSome = (id: ProjectId) => {
      order.push(`after ${state.evicted.length}`)
      return port.removeSome(id)
    }
    yield* purge({ ...port, removeSome }, project)
    expect(state.evicted).toEqual(up)
    expect(order[0]).toBe("after 20")
    expect(state.parts).toBe(0)
  })
)

it.effect("[limits.purgeParts] one look removes so many parts, the next one the others", () =>
  Effect.gen(function* () {
    yield* TestClock.adjust(ProjectLimits.purgeSettles.ms)
    const { state, port } = makePort(ProjectLimits.purgeParts.max + 1)
    yield* purge(port, project)
    expect([state.parts, state.purged]).toEqual([1, 0])
    yield* purge(port, project)
    expect([state.parts, state.purged]).toEqual([0, 1])
  })
)

it.effect(
  "[limits.purgeSettles] an empty project is done with only when nothing can come any more",
  () =>
    Effect.gen(function* () {
      const { state, port } = makePort(0)
      yield* TestClock.adjust(ProjectLimits.purgeSettles.ms - 1)
      yield* purge(port, project)
      expect(state.purged).toBe(0)
      // A write that was under way when the project was deleted.
      state.parts = 1
      yield* TestClock.adjust(1)
      yield* purge(port, project)
      expect([state.parts, state.purged]).toEqual([0, 1])
    })
)

it.effect.each([
  ["fails", Effect.fail("unreachable")],
  ["dies", Effect.die(new Error("no actor"))],
  ["does not answer", Effect.never]
] as const)(
  "[C-71] a room whose end %s keeps the project pending, and is asked again",
  ([, failure]) =>
    Effect.gen(function* () {
      yield* TestClock.adjust(ProjectLimits.purgeSettles.ms)
      const stuck = newRoomKey()
      const { state, port } = makePort(2, [stuck])
      state.way = failure
      const looking = yield* Effect.forkChild(purge(port, project))
      yield* TestClock.adjust(ServiceLimits.actorCall.ms)
      yield* Fiber.join(looking)
      // The rest goes meanwhile.
      expect([state.parts, state.purged]).toEqual([0, 0])
      state.way = Effect.void
      yield* purge(port, project)
      expect([state.evicted, state.purged]).toEqual([[stuck, stuck], 0])
      yield* purge(port, project)
      expect(state.purged).toBe(1)
    }).pipe(Effect.provide(Logger.layer([])))
)
