import { MigrationLimits } from "@atrium/domain/migrations/MigrationLimits"
import { defineSchema, describe as describeSchema, s, schemaHash } from "@atrium/sdk/schema"
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"

import type { DeployedType } from "../deployments/DeployedType.ts"
import { DeploymentStore } from "../deployments/DeploymentStore.ts"
import type { Migrated, ToMigrate } from "../process/MigrateProcess.ts"
import { ProcessPool } from "../process/ProcessPool.ts"
import { noRooms } from "../process/testing/NoRooms.ts"
import { MemoryStores, newProject } from "../store/testing/TestStores.ts"
import { Migrator } from "./Migrator.ts"
import type { Carried } from "./VersionStep.ts"

const schemas = [
  defineSchema({ type: "t", singletons: { it: { a: s.u8() } } }),
  defineSchema({ type: "t", singletons: { it: { b: s.u8() } } }),
  defineSchema({ type: "t", singletons: { it: { c: s.u8() } } })
] as const
const hashes = schemas.map((schema) => schemaHash(schema))
const descriptors = schemas.map((schema) => describeSchema(schema))
/** As a deployment's row holds it. */
const stored = (at: number) => Object(JSON.parse(JSON.stringify(descriptors[at])))

const declared = (at: 0 | 1 | 2): DeployedType => ({
  type: "t",
  class: "standard",
  maxClients: 2,
  tickHz: 20,
  retention: null,
  hibernateAfterMs: 1000,
  reconnectForMs: 0,
  schemaHash: hashes[at] ?? "",
  schema: stored(at)
})

const carried = (at: 0 | 1, back = false): Carried => ({
  type: "t",
  from: hashes[at] ?? "",
  to: hashes[at + 1] ?? "",
  code: true,
  back
})

/** One run of a process: its bundle's byte, and the places between which it leads. */
type Ran = readonly [bundle: number, hops: ReadonlyArray<string>]

/** Processes that add their bundle's byte to what they get, unless a script says otherwise. */
const pool = (
  script: Array<Migrated> = [],
  holds: (bytes: Uint8Array) => Effect.Effect<void> = () => Effect.void
) => {
  const ran: Ran[] = []
  let opened = 0
  const hopText = (hop: ToMigrate["hops"][number]): string => {
    if (hop._tag === "Players") return "players"
    const [from, to] = [hashes.indexOf(hop.from.hash) + 1, hashes.indexOf(hop.to.hash) + 1]
    return `${from}-${to}${hop.back ? " back" : ""}`
  }
  const layer = Layer.mock(ProcessPool, {
    ...noRooms,
    migrator: (bundle) =>
      Effect.sync(() => {
        opened++
        let over = false
        return {
          isOver: () => over,
          migrate: Effect.fnUntraced(function* ({ hops, bytes }: ToMigrate) {
            ran.push([bundle[0] ?? 0, hops.map(hopText)])
            yield* holds(bytes)
            const planned = script.shift()
            over = planned?.ok === false && planned.fault === "machine"
            return planned ?? { ok: true, bytes: Uint8Array.of(...bytes, bundle[0] ?? 0) }
          })
        }
      })
  })
  return { layer, ran, opened: () => opened }
}

const leading = (layer: Layer.Layer<ProcessPool>) =>
  Migrator.layer.pipe(Layer.provide(layer), Layer.provideMerge(MemoryStores))

/** Three versions, whose bundles are the bytes 1 to 3, and a room of the first one. */
const versions = Effect.fnUntraced(function* (mended: ReadonlyArray<Carried> = []) {
  const deployments = yield* DeploymentStore
  const projectId = yield* newProject
  const changes = [[], [carried(0, true)], [carried(1), ...mended]]
  for (const [at, migrations] of changes.entries()) {
    const roomTypes = [declared(at === 0 ? 0 : at === 1 ? 1 : 2)]
    yield* deployments.add(
      projectId,
      { bundle: Uint8Array.of(at + 1), roomTypes, migrations },
      () => null
    )
  }
  const toSecond = { from: 1, to: 2 }
  const toThird = { from: 2, to: 3 }
  return {
    projectId,
    to: 3,
    stored: descriptors[0] ?? null,
    room: { type: "t", hops: [toSecond, toThird] },
    players: [],
    bytes: Uint8Array.of(9),
    memoryMiB: 64
  }
})

const away: Migrated = { ok: false, fault: "machine", message: "it was killed", stack: "" }

describe("a stored state", () => {
  const plain = pool()
  it.effect("[C-702] goes through the code of each version that brought a change", () =>
    Effect.gen(function* () {
      const asked = yield* versions()
      const led = yield* (yield* Migrator).lead(asked)
      expect(led).toEqual({ bytes: Uint8Array.of(9, 2, 3), schema: descriptors[2] })
      expect(plain.ran.splice(0)).toEqual([
        [2, ["1-2"]],
        [3, ["2-3"]]
      ])
      const back = { ...asked, to: 1, room: { type: "t", hops: [{ from: 2, to: 1 }] } }
      expect(yield* (yield* Migrator).lead(back)).toMatchObject({ schema: descriptors[0] })
      expect(plain.ran.splice(0)).toEqual([[2, ["2-1 back"]]])
    }).pipe(Effect.provide(leading(plain.layer)))
  )

  const once = pool()
  it.effect("[C-704] takes a change from the version that it goes to, if that has it, too", () =>
    Effect.gen(function* () {
      const asked = yield* versions([carried(0)])
      const players = [{ from: 1, to: 3 }]
      yield* (yield* Migrator).lead({ ...asked, players })
      // The players' change is the third version's own, and one order asks for all three.
      expect(once.ran).toEqual([[3, ["1-2", "2-3", "players"]]])
    }).pipe(Effect.provide(leading(once.layer)))
  )

  const failing = pool([
    { ok: false, fault: "code", message: "it has no hp", stack: "room.bundle.js:1:2" }
  ])
  it.effect("[C-705] is refused with what its migration threw, and where", () =>
    Effect.gen(function* () {
      const asked = yield* versions()
      const failed = yield* Effect.flip((yield* Migrator).lead(asked))
      expect(failed).toMatchObject({
        _tag: "MigrationFailed",
        message: "it has no hp",
        stack: "room.bundle.js:1:2",
        bundle: Uint8Array.of(2)
      })
      expect(failing.ran).toHaveLength(1)
    }).pipe(Effect.provide(leading(failing.layer)))
  )
})

describe("the process of a bundle", () => {
  const dying = pool([away, { ok: true, bytes: Uint8Array.of(1) }, away, away])
  it.effect("[C-706] is made anew once, when it has ended; then the state waits", () =>
    Effect.gen(function* () {
      const { lead } = yield* Migrator
      const first = { from: 1, to: 2 }
      const asked = { ...(yield* versions()), room: { type: "t", hops: [first] } }
      expect(yield* lead(asked)).toMatchObject({ bytes: Uint8Array.of(1) })
      expect(yield* Effect.flip(lead(asked))).toMatchObject({
        _tag: "MigratorAway",
        message: "it was killed"
      })
      expect(dying.opened()).toBe(3)
    }).pipe(Effect.provide(leading(dying.layer)))
  )

  const idle = pool()
  it.effect("[C-706] waits for the next state, and ends when none comes in time", () =>
    Effect.gen(function* () {
      const { lead } = yield* Migrator
      const first = { from: 1, to: 2 }
      const asked = { ...(yield* versions()), room: { type: "t", hops: [first] } }
      yield* lead(asked)
      yield* TestClock.adjust(MigrationLimits.migratorIdle.ms - 1)
      yield* lead(asked)
      expect(idle.opened()).toBe(1)
      yield* TestClock.adjust(MigrationLimits.migratorIdle.ms)
      yield* lead(asked)
      expect(idle.opened()).toBe(2)
    }).pipe(Effect.provide(leading(idle.layer)))
  )

  const gate = Deferred.makeUnsafe<void>()
  const full = pool([], () => Deferred.await(gate))
  it.effect("[C-706] only so many run at once; the next one waits", () =>
    Effect.gen(function* () {
      const { lead } = yield* Migrator
      const { max } = MigrationLimits.migratorsAtOnce
      const first = { from: 1, to: 2 }
      const all = yield* Effect.forEach(Array.from({ length: max + 1 }), () =>
        Effect.gen(function* () {
          const asked = { ...(yield* versions()), room: { type: "t", hops: [first] } }
          return yield* Effect.forkChild(lead(asked))
        })
      )
      yield* TestClock.adjust(1)
      expect(full.ran).toHaveLength(max)
      expect(full.opened()).toBe(max)
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.joinAll(all)
      expect(full.ran).toHaveLength(max + 1)
    }).pipe(Effect.provide(leading(full.layer)))
  )

  const slow = Uint8Array.of(7)
  const slowGate = Deferred.makeUnsafe<void>()
  const waiting = pool([], ([first]) => (first === 7 ? Deferred.await(slowGate) : Effect.void))
  it.effect("[C-706] that is slow holds up its own states, and no other bundle's", () =>
    Effect.gen(function* () {
      const { lead } = yield* Migrator
      const room = { type: "t", hops: [{ from: 1, to: 2 }] }
      const its = { ...(yield* versions()), room, bytes: slow }
      const { max } = MigrationLimits.migratorsAtOnce
      const states = yield* Effect.forEach(Array.from({ length: max }), () =>
        Effect.forkChild(lead(its))
      )
      yield* TestClock.adjust(1)
      expect(waiting.ran).toHaveLength(1)
      const other = { ...(yield* versions()), room }
      expect(yield* lead(other)).toMatchObject({ bytes: Uint8Array.of(9, 2) })
      yield* Deferred.succeed(slowGate, undefined)
      yield* Fiber.joinAll(states)
      expect(waiting.ran).toHaveLength(max + 1)
      expect(waiting.opened()).toBe(2)
    }).pipe(Effect.provide(leading(waiting.layer)))
  )
})
