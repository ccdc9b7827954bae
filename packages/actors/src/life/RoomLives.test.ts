import { LifeLimits } from "@atrium/domain/life/LifeLimits"
import { ProjectId, RoomId } from "@atrium/domain/shared/Ids"
import { expect, it } from "@effect/vitest"
import { Effect, Fiber, Latch, Layer } from "effect"
import { TestClock } from "effect/testing"

import { newRoomKey } from "../store/testing/TestStores.ts"
import { LifeStore } from "./LifeStore.ts"
import { LifeQueue, RoomLives, RoomLivesLayer } from "./RoomLives.ts"

const key = newRoomKey()
const note = { kind: "lost" } as const
const { burst, everyMs, tokens } = LifeLimits.lifeOfRoom
const kinds = (queue: LifeQueue) => queue.batch().map(({ note: told }) => told)

it("[limits.life.of-room] [C-772] a room that lives too fast is written down again later, with what is missing", () => {
  const queue = new LifeQueue()
  for (let event = 0; event < burst + 3; event++) queue.add(key, note, 0)
  expect(queue.size).toBe(burst)
  queue.add({ ...key, roomId: RoomId.make("another") }, note, 0)
  expect(queue.size).toBe(burst + 1)
  queue.add(key, { kind: "moved" }, everyMs / tokens)
  expect(kinds(queue).at(-1)).toEqual({ kind: "moved", missing: 3 })
  queue.add(key, note, (2 * everyMs) / tokens)
  expect(kinds(queue).at(-1)).toEqual(note)
})

it("[limits.life.detail] [C-772] the words of a room are kept up to their bound", () => {
  const queue = new LifeQueue()
  const { max } = LifeLimits.lifeDetail
  for (const length of [max, max + 1]) {
    queue.add(key, { kind: "crashed", detail: "x".repeat(length) }, 0)
  }
  const detail = "x".repeat(max)
  expect(kinds(queue)).toEqual([
    { kind: "crashed", detail },
    { kind: "crashed", detail }
  ])
})

it("[limits.life.of-project] [limits.life.waiting] [C-772] a project and a runner have their bounds, too", () => {
  const queue = new LifeQueue()
  const rooms = LifeLimits.lifeOfProject.burst + 1
  for (let room = 0; room < rooms; room++) {
    queue.add({ ...key, roomId: RoomId.make(`r${room}`) }, note, 0)
  }
  expect(queue.size).toBe(LifeLimits.lifeOfProject.burst)
  const others = LifeLimits.lifeWaiting.max
  for (let at = 0; at < others; at++) {
    const projectId = ProjectId.make(`p_${String(at).padStart(16, "0")}`)
    queue.add({ ...key, projectId }, note, 0)
  }
  expect(queue.size).toBe(LifeLimits.lifeWaiting.max)
})

it("[C-772] ids grow, a batch stays until it is stored, and a deleted room leaves nothing", () => {
  const queue = new LifeQueue()
  const other = { ...key, roomId: RoomId.make("other") }
  queue.add(key, note, 5)
  queue.add(other, note, 5)
  queue.add(key, note, 4)
  const ids = queue.batch().map(({ eventId }) => eventId)
  expect(ids).toEqual(ids.toSorted((a, b) => a - b))
  expect(new Set(ids).size).toBe(3)
  const [first] = queue.batch()
  queue.remove(first === undefined ? [] : [first])
  expect(queue.size).toBe(2)
  queue.forget(key)
  expect(queue.batch().map(({ roomId }) => roomId)).toEqual([other.roomId])
})

it.effect(
  "[C-772] the life of a deleted room is removed after what was being written of it",
  () => {
    const done: Array<string> = []
    const begun = Latch.makeUnsafe(false)
    const goesOn = Latch.makeUnsafe(false)
    const store = Layer.mock(LifeStore, {
      append: (events) =>
        Effect.gen(function* () {
          begun.openUnsafe()
          yield* goesOn.await
          done.push(`wrote ${events.length}`)
        }),
      remove: () => Effect.sync(() => void done.push("removed"))
    })
    return Effect.gen(function* () {
      const lives = yield* RoomLives
      lives.note(key, note)
      yield* TestClock.adjust(LifeLimits.lifeBatchWait.ms)
      yield* begun.await
      lives.note(key, note)
      const forgets = yield* Effect.forkChild(lives.forget(key))
      yield* TestClock.adjust(1)
      expect(done).toEqual([])
      goesOn.openUnsafe()
      yield* Fiber.join(forgets)
      yield* TestClock.adjust(LifeLimits.lifeBatchWait.ms)
      expect(done).toEqual(["wrote 1", "removed"])
    }).pipe(Effect.provide(RoomLivesLayer.pipe(Layer.provide(store))))
  }
)
