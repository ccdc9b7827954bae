import { Chance } from "@atrium/api/testing/Chance"
import { Effect, Fiber, Queue, Semaphore } from "effect"
import { expect, test } from "vitest"

import { Host } from "./Host.ts"
import { Timeline } from "./Timeline.ts"
import { Turns } from "./Turns.ts"

/** A host in a world of its own. */
const place = (seed: number) => {
  const turns = new Turns(Chance.of(seed, "turns", 0))
  const timeline: Timeline = new Timeline(() => turns.settle(() => timeline.stopped))
  const host = new Host("host", {
    timeline,
    turns,
    chance: Chance.of(seed, "ops", 0),
    opsPerTurn: 4
  })
  return { timeline, host }
}

/** Three fibers that read, are stopped between two operations, and write; then a queue and a lock. */
const race = (seen: Array<string>) =>
  Effect.gen(function* () {
    let shared = 0
    const queue = yield* Queue.bounded<string>(2)
    const lock = yield* Semaphore.make(1)
    const bump = (name: string) =>
      Effect.gen(function* () {
        for (let turn = 0; turn < 3; turn++) {
          const read = shared
          yield* Effect.suspend(() => Effect.void)
          shared = read + 1
          yield* lock.withPermits(1)(Queue.offer(queue, `${name}${shared}`))
        }
      })
    const fibers = yield* Effect.forEach(["a", "b", "c"], (name) => Effect.forkChild(bump(name)))
    for (let taken = 0; taken < 9; taken++) seen.push(yield* Queue.take(queue))
    yield* Effect.forEach(fibers, (fiber) => Fiber.join(fiber))
    seen.push(`end ${shared}`)
  })

const raced = (seed: number): string => {
  const { timeline, host } = place(seed)
  const seen: Array<string> = []
  Effect.runForkWith(host.context)(race(seen))
  timeline.pass(1)
  return seen.join(" ")
}

test("[D-14] a seed picks one order of fibers, and other seeds pick others", () => {
  const orders = Array.from({ length: 200 }, (_, seed) => raced(seed))
  expect(orders.filter((order) => !/ end \d$/.test(order))).toEqual([])
  expect(Array.from({ length: 200 }, (_, seed) => raced(seed))).toEqual(orders)
  expect(new Set(orders).size).toBeGreaterThan(10)
  // A write is lost in some of them: fibers are stopped between two operations.
  expect(new Set(orders.map((order) => order.split(" ").at(-1))).size).toBeGreaterThan(1)
})

test("[D-14] a host that dies runs nothing any more, no finalizer either", () => {
  const { timeline, host } = place(1)
  const seen: Array<string> = []
  const work = Effect.sleep(10).pipe(
    Effect.andThen(Effect.sync(() => seen.push("woke"))),
    Effect.ensuring(Effect.sync(() => seen.push("finalizer")))
  )
  Effect.runForkWith(host.context)(work)
  host.onDeath(() => seen.push("dead"))
  timeline.pass(5)
  host.kill()
  timeline.pass(100)
  expect(seen).toEqual(["dead"])
})

test("[D-14] a host that is frozen does everything when it goes on", () => {
  const { timeline, host } = place(1)
  const seen: Array<string> = []
  host.after(10, () => seen.push(`first at ${timeline.machineMs}`))
  host.after(20, () => seen.push(`second at ${timeline.machineMs}`))
  const cancel = host.after(15, () => seen.push("cancelled"))
  host.freeze()
  timeline.pass(50)
  expect(seen).toEqual([])
  cancel()
  host.goOn()
  timeline.pass(1)
  expect(seen).toEqual(["first at 50", "second at 50"])
})

test("[D-14] a promise does not come to its end within a world", () => {
  const { timeline, host } = place(1)
  const fiber = Effect.runForkWith(host.context)(Effect.promise(() => Promise.resolve(1)))
  timeline.pass(1000)
  expect(fiber.pollUnsafe()).toBeUndefined()
})
