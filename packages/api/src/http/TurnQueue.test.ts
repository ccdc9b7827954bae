import { DeploymentLimits } from "@atrium/domain/deployments/DeploymentLimits"
import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"

import { deployBounds } from "../deployments/DeployTurns.ts"
import { TurnQueue } from "./TurnQueue.ts"

/** Deployments that run until they are told to end. */
const makeStage = () => {
  const queue = new TurnQueue(deployBounds)
  const running: Array<string> = []
  let most = 0
  const begin = Effect.fnUntraced(function* (project: string) {
    const end = yield* Deferred.make<void>()
    const deployment = Effect.acquireUseRelease(
      Effect.sync(() => {
        most = Math.max(most, running.push(project))
      }),
      () => Deferred.await(end),
      () => Effect.sync(() => running.splice(running.indexOf(project), 1))
    )
    const fiber = yield* Effect.forkChild(queue.run(project, deployment))
    yield* Effect.yieldNow
    return { fiber, end: Effect.andThen(Deferred.succeed(end, undefined), Effect.yieldNow) }
  })
  return { begin, running, most: () => most }
}

const codeOf = (fiber: Fiber.Fiber<void, { readonly _tag: string }>) =>
  Effect.map(Effect.flip(Fiber.join(fiber)), ({ _tag }) => _tag)

it.effect("[C-212] two deployments run at once, one of each project; the next has its turn", () =>
  Effect.gen(function* () {
    const { begin, running, most } = makeStage()
    const first = yield* begin("a")
    const again = yield* begin("a")
    const second = yield* begin("b")
    const third = yield* begin("c")
    expect(running).toEqual(["a", "b"])
    yield* second.end
    yield* Fiber.join(second.fiber)
    yield* TestClock.adjust(1)
    expect(running).toEqual(["a", "c"])
    yield* first.end
    yield* Fiber.join(first.fiber)
    yield* TestClock.adjust(1)
    expect(running).toEqual(["c", "a"])
    yield* Effect.all([again.end, third.end])
    yield* Effect.all([Fiber.join(again.fiber), Fiber.join(third.fiber)])
    expect([running, most()]).toEqual([[], DeploymentLimits.deploysAtOnce.max])
  })
)

it.effect("[C-212] a deployment waits for up to 30 s, and runs for as long as it takes", () =>
  Effect.gen(function* () {
    const { begin, running } = makeStage()
    const first = yield* begin("a")
    const last = yield* begin("a")
    const late = yield* begin("a")
    yield* TestClock.adjust(DeploymentLimits.deployWait.ms - 1)
    yield* first.end
    yield* TestClock.adjust(0)
    expect(running).toEqual(["a"])
    yield* TestClock.adjust(1)
    expect(yield* codeOf(late.fiber)).toBe("E_NOT_READY")
    yield* TestClock.adjust(DeploymentLimits.deployWait.ms * 2)
    expect(running).toEqual(["a"])
    yield* last.end
    yield* Fiber.join(last.fiber)
    // A place that was given up or left is free.
    const next = yield* begin("a")
    expect(running).toEqual(["a"])
    yield* Fiber.interrupt(next.fiber)
    expect(running).toEqual([])
  })
)

it.effect("[C-212] a project has four waiting, the service 32; one more is refused at once", () =>
  Effect.gen(function* () {
    const { begin } = makeStage()
    const ofOne = []
    for (let at = 0; at <= DeploymentLimits.projectDeploysWaiting.max; at++)
      ofOne.push(yield* begin("a"))
    const past = yield* begin("a")
    expect(yield* codeOf(past.fiber)).toBe("E_NOT_READY")
    yield* begin("b")
    const others = []
    for (
      let at = DeploymentLimits.projectDeploysWaiting.max;
      at < DeploymentLimits.deploysWaiting.max;
      at++
    ) {
      others.push(yield* begin(`c${at}`))
    }
    expect(others.every(({ fiber }) => fiber.pollUnsafe() === undefined)).toBe(true)
    const refused = yield* begin("d")
    expect(yield* codeOf(refused.fiber)).toBe("E_NOT_READY")
    // A caller that goes away gives its place up.
    const gone = others.pop()
    if (gone === undefined) return expect.unreachable()
    yield* Fiber.interrupt(gone.fiber)
    const taken = yield* begin("d")
    expect(taken.fiber.pollUnsafe()).toBeUndefined()
    expect(Exit.isSuccess(yield* Effect.exit(Fiber.interrupt(taken.fiber)))).toBe(true)
  })
)

it.effect(
  "[C-357] bodies take places by their size, and a project has a bounded number at once",
  () =>
    Effect.gen(function* () {
      const queue = new TurnQueue({ ...deployBounds, places: 10, ofProject: 2, waiting: 1 })
      const running: Array<string> = []
      const begin = (project: string, places: number) =>
        Effect.andThen(
          Effect.forkChild(
            queue.run(
              project,
              Effect.andThen(
                Effect.sync(() => running.push(`${project}${places}`)),
                Effect.never
              ),
              places
            )
          ),
          Effect.yieldNow
        )
      yield* begin("a", 4)
      yield* begin("b", 4)
      yield* begin("c", 4)
      expect(running).toEqual(["a4", "b4"])
      expect(yield* Effect.flip(queue.run("d", Effect.void, 1))).toMatchObject({
        _tag: "E_NOT_READY"
      })
      yield* TestClock.adjust(deployBounds.waitMs)
      yield* begin("a", 1)
      yield* begin("a", 1)
      expect(running).toEqual(["a4", "b4", "a1"])
    })
)
