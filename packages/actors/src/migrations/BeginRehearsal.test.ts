import { MigrationLimits } from "@atrium/domain/migrations/MigrationLimits"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { expect, it, layer } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"

import { RoomObjects } from "../rooms/RoomObjects.ts"
import { MemoryStores, newProject } from "../store/testing/TestStores.ts"
import { beginRehearsal, demandRehearsed, type ToRehearse } from "./BeginRehearsal.ts"
import { StateOutcome, withRoom } from "./RehearsalReport.ts"
import { freshProgress, type RehearsalRow } from "./RehearsalRow.ts"
import { RehearsalStore } from "./RehearsalStore.ts"

const askedOf = (projectId: ProjectId, more: Partial<ToRehearse> = {}): ToRehearse => ({
  projectId,
  bundle: Uint8Array.of(1, 2, 3),
  baseVersion: 1,
  candidate: { bytes: 3, roomTypes: [], relay: false, migrations: [], step: null },
  sample: null,
  ...more
})

/** @param saveId the state that fails; `null` = the newest one */
const roomThatFails = (roomId: string, saveId: string | null = null) => ({
  roomId,
  states: [StateOutcome.Failed({ saveId, version: 1, why: "it has fallen" })],
  isCounted: true,
  diff: null
})
const failing = withRoom(freshProgress.report, roomThatFails("bad"), false)
const other = { bundle: Uint8Array.of(1, 2, 4) }
const numbered = (count: number) => Array.from({ length: count }, (_, at) => `room-${at}`)

const strict = { quarantine: false }
const lenient = { quarantine: true }

/** The stores of a project that has something stored. */
const stage = Effect.gen(function* () {
  const objects = yield* RoomObjects
  const rehearsals = yield* RehearsalStore
  const projectId = yield* newProject
  const count = () => Effect.succeed({ rooms: 1, saves: 0 })
  const stores = { rehearsals, objects: { ...objects, count } }
  const end = Effect.fnUntraced(function* (row: RehearsalRow, state: "passed" | "failed") {
    const report = state === "failed" ? failing : freshProgress.report
    return yield* rehearsals.advance(row, { progress: { ...freshProgress, report }, state })
  })
  const listed = Effect.map(rehearsals.list(projectId), (rows) => rows.length)
  return { stores, projectId, end, listed }
})

/** Lets time pass until an effect has ended, which waits for other threads, too. */
const inItsTime = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(effect)
    while (fiber.pollUnsafe() === undefined) {
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      yield* TestClock.adjust(100)
    }
    return yield* Fiber.join(fiber)
  })

it("[C-711] [C-713] a deploy waits for longer than another rehearsal has its turn", () => {
  const { rehearsalTurn, rehearsalProgress, rehearsalAwaited } = MigrationLimits
  expect(rehearsalAwaited.ms).toBeGreaterThan(rehearsalTurn.ms + rehearsalProgress.ms)
})

layer(MemoryStores)("a deploy with migrations", (it) => {
  it.effect("[C-713] goes on with a rehearsal that has passed in the last minutes", () =>
    Effect.gen(function* () {
      const { stores, projectId, end, listed } = yield* stage
      const asked = askedOf(projectId)
      yield* end(yield* beginRehearsal(stores, asked), "passed")
      yield* TestClock.adjust(MigrationLimits.rehearsalCounts.ms)
      yield* demandRehearsed(stores, asked, strict)
      expect(yield* listed).toBe(1)
      yield* TestClock.adjust(1)
      expect(yield* inItsTime(Effect.flip(demandRehearsed(stores, asked, strict)))).toMatchObject({
        _tag: "E_NOT_READY",
        message: expect.stringMatching(
          /^the rehearsal rh_[0-9a-f]{16} of the migrations is under way/
        )
      })
      expect(yield* listed).toBe(2)
    })
  )

  it.effect("[C-713] is refused with the first failure of its rehearsal", () =>
    Effect.gen(function* () {
      const { stores, projectId, end, listed } = yield* stage
      const asked = askedOf(projectId)
      const row = yield* beginRehearsal(stores, asked)
      yield* end(row, "failed")
      expect(yield* Effect.flip(demandRehearsed(stores, asked, strict))).toMatchObject({
        _tag: "E_REHEARSAL_FAILED",
        message: "bad: it has fallen",
        rehearsalId: row.rehearsalId,
        roomId: "bad",
        rooms: 1
      })
      expect(yield* listed).toBe(1)
    })
  )

  it.effect("[C-990] goes on with a quarantine, and names the rooms whose newest state fails", () =>
    Effect.gen(function* () {
      const { stores, projectId, end } = yield* stage
      const asked = askedOf(projectId)
      const row = yield* beginRehearsal(stores, asked)
      const report = withRoom(failing, roomThatFails("kept", "sv_1"), false)
      yield* stores.rehearsals.advance(row, {
        progress: { ...freshProgress, report },
        state: "failed"
      })
      expect(yield* demandRehearsed(stores, asked, lenient)).toEqual(["bad"])
      yield* end(yield* beginRehearsal(stores, askedOf(projectId, other)), "passed")
      expect(yield* demandRehearsed(stores, askedOf(projectId, other), lenient)).toEqual([])
    })
  )

  it.effect("[C-990] is refused all the same when more rooms fail than a rehearsal lists", () =>
    Effect.gen(function* () {
      const { stores, projectId } = yield* stage
      const asked = askedOf(projectId)
      const row = yield* beginRehearsal(stores, asked)
      const { max } = MigrationLimits.rehearsalFailures
      const full = numbered(max).reduce(
        (report, roomId) => withRoom(report, roomThatFails(roomId), false),
        freshProgress.report
      )
      const progress = { ...freshProgress, report: full }
      yield* stores.rehearsals.advance(row, { progress, state: "failed" })
      const refused = yield* Effect.flip(demandRehearsed(stores, asked, lenient))
      expect(refused).toMatchObject({ _tag: "E_REHEARSAL_FAILED", rooms: max })
    })
  )

  it.effect("[C-713] waits for the rehearsal that it begins", () =>
    Effect.gen(function* () {
      const { stores, projectId, end } = yield* stage
      const { rehearsals } = stores
      let looks = 0
      const find: typeof rehearsals.find = (...which) =>
        Effect.tap(rehearsals.find(...which), (row) =>
          ++looks === 5 && Option.isSome(row) ? end(row.value, "passed") : Effect.void
        )
      let counts = 0
      const count: typeof stores.objects.count = () =>
        Effect.sync(() => ({ rooms: ++counts, saves: 0 }))
      const counted = {
        rehearsals: { ...rehearsals, find },
        objects: { ...stores.objects, count }
      }
      yield* inItsTime(demandRehearsed(counted, askedOf(projectId), strict))
      expect(looks).toBe(6)
      // A deploy that begins its rehearsal counts the stored rooms once.
      expect(counts).toBe(1)
    })
  )

  const ends = [
    ["stopped", /^the rehearsal rh_[0-9a-f]{16} of the migrations was stopped/],
    ["outdated", /^another version was deployed during the rehearsal rh_[0-9a-f]{16}/]
  ] as const
  for (const [state, message] of ends) {
    it.effect(`[C-713] says that its rehearsal is ${state}`, () =>
      Effect.gen(function* () {
        const { stores, projectId } = yield* stage
        const { rehearsals } = stores
        const find: typeof rehearsals.find = (...which) =>
          Effect.map(rehearsals.find(...which), (row) =>
            Option.map(row, (it) => ({ ...it, state }))
          )
        const deploy = demandRehearsed(
          { ...stores, rehearsals: { ...rehearsals, find } },
          askedOf(projectId),
          strict
        )
        expect(yield* inItsTime(Effect.flip(deploy))).toMatchObject({
          _tag: "E_NOT_READY",
          message: expect.stringMatching(message)
        })
      })
    )
  }

  const others = [
    ["another bundle", other],
    ["another version", { baseVersion: 2 }],
    ["a sample", { sample: ["a"] }]
  ] as const
  for (const [what, more] of others) {
    it.effect(`[C-713] does not go on with the rehearsal of ${what}`, () =>
      Effect.gen(function* () {
        const { stores, projectId, end, listed } = yield* stage
        yield* end(yield* beginRehearsal(stores, askedOf(projectId, more)), "passed")
        const deploy = demandRehearsed(stores, askedOf(projectId), strict)
        expect(yield* inItsTime(Effect.flip(deploy))).toMatchObject({ _tag: "E_NOT_READY" })
        expect(yield* listed).toBe(2)
      })
    )
  }

  it.effect("[C-713] of a project that has nothing stored goes on", () =>
    Effect.gen(function* () {
      const { stores, projectId, listed } = yield* stage
      const nothing = { ...stores, objects: yield* RoomObjects }
      yield* demandRehearsed(nothing, askedOf(projectId), strict)
      expect(yield* listed).toBe(0)
    })
  )
})
