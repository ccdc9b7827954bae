import { billingPeriod } from "@atrium/domain/meters/Caps"
import { dayStart } from "@atrium/domain/meters/Metering"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { expect, layer } from "@effect/vitest"
import { Clock, Effect, type Layer } from "effect"

import { ObjectStore } from "../objects/ObjectStore.ts"
import { ProjectStore } from "../projects/ProjectStore.ts"
import { PlayerStore, playerTable } from "../rooms/PlayerStore.ts"
import type { Purged } from "../store/NounTables.ts"
import { newProject, purge } from "../store/testing/TestStores.ts"
import type { TestTables } from "../store/testing/TestTables.ts"
import { MeterStore } from "./MeterStore.ts"
import { StoredBytes, type StoredPart } from "./StoredBytes.ts"

/** What the store says now of the project's storage: in the period, and on its days. */
const metered = Effect.fnUntraced(function* (projectId: ProjectId) {
  const meters = yield* MeterStore
  const nowMs = yield* Clock.currentTimeMillis
  const { startMs, endMs } = billingPeriod(nowMs)
  const { storageBytes } = yield* meters.read({ projectId, startMs })
  const days = yield* meters.days({ projectId, fromMs: startMs, toMs: endMs })
  return [storageBytes, days.map(({ uses }) => uses.storageBytes)]
})

/** The rows of players count here: a table that each layer has. */
const countedPlayers: Purged = {
  table: "players",
  memory: () => 0,
  stored: {
    bytes: "octet_length(fields)",
    memory: playerTable.sizes(({ projectId, fields }) => ({ projectId, bytes: fields.length }))
  }
}

/** What each layer of `StoredBytes` counts in the contract. */
export const counted: ReadonlyArray<Purged> = [...purge, countedPlayers]

/**
 * The behaviour of every layer of `StoredBytes`.
 * @param name of the layer, as the report shows it
 */
export const storedBytesContract = (
  name: string,
  stores: Layer.Layer<
    StoredBytes | MeterStore | ObjectStore | PlayerStore | ProjectStore | TestTables,
    unknown
  >
): void =>
  layer(stores)(name, (it) => {
    it.effect("[C-494] every object below a declared folder counts at its stored size", () =>
      Effect.gen(function* () {
        const objects = yield* ObjectStore
        const stored = yield* StoredBytes
        const [one, other] = [yield* newProject, yield* newProject]
        const put = (key: string, bytes: number) =>
          objects.put({ key, bytes: new Uint8Array(bytes).fill(7), manifest: {} })
        yield* put(`rooms/${one}/r/1/snapshot`, 3)
        yield* put(`rooms/${one}/r/1/saves/sv_1`, 100_000)
        yield* put(`bundles/${one}/1`, 20)
        yield* put(`sites/${other}/abc`, 500)
        yield* put(`elsewhere/${one}/1`, 7000)
        yield* put(`rooms/nobody/r`, 7000)
        const found = (yield* stored.part({ place: "objects", after: "", most: 1000 })).sums
        const of = (projectId: ProjectId) =>
          found.filter((sum) => sum.projectId === projectId).map(({ bytes }) => bytes)
        expect([of(one), of(other)]).toEqual([[100_023], [500]])
      })
    )

    it.effect(
      "[C-494] the rows of a table that declares a size count, a few projects at a time",
      () =>
        Effect.gen(function* () {
          const stored = yield* StoredBytes
          const players = yield* PlayerStore
          const projects = [yield* newProject, yield* newProject, yield* newProject]
          const write = (playerId: string, bytes: number) => ({
            playerId,
            fields: new Uint8Array(bytes)
          })
          for (const [at, projectId] of projects.entries()) {
            yield* players.save(projectId, [write("a", 10 * (at + 1)), write("b", 1)])
          }
          expect(stored.places).toContain("players")
          const found = new Map<string, number>()
          for (let after: string | null = ""; after !== null;) {
            const part: StoredPart = yield* stored.part({ place: "players", after, most: 2 })
            expect(part.sums.length).toBeLessThanOrEqual(2)
            for (const { projectId, bytes } of part.sums) found.set(projectId, bytes)
            after = part.last
          }
          expect(projects.map((projectId) => found.get(projectId))).toEqual([11, 21, 31])
        })
    )

    it.effect("[C-494] the period holds the level now, its day the highest", () =>
      Effect.gen(function* () {
        const stored = yield* StoredBytes
        const [one, other, gone] = [yield* newProject, yield* newProject, yield* newProject]
        yield* (yield* ProjectStore).delete(gone)
        yield* stored.keep(
          new Map([
            [one, 10],
            [other, 5],
            [gone, 7]
          ])
        )
        yield* stored.keep(
          new Map([
            [one, 30],
            [other, 5]
          ])
        )
        yield* stored.keep(new Map([[one, 20]]))
        expect(yield* metered(one)).toEqual([20, [30]])
        expect(yield* metered(other)).toEqual([0, [5]])
        expect(yield* metered(gone)).toEqual([0, []])
        // What else the project uses stays.
        const sum = {
          projectId: one,
          meter: "dataOutBytes",
          dayStartsAtMs: dayStart(yield* Clock.currentTimeMillis),
          amount: 9
        } as const
        const meters = yield* MeterStore
        yield* meters.take({ run: one, sequence: 1, sums: [sum] })
        yield* stored.keep(new Map())
        expect(yield* metered(one)).toEqual([0, [30]])
        const { startMs } = billingPeriod(yield* Clock.currentTimeMillis)
        expect((yield* meters.read({ projectId: one, startMs })).dataOutBytes).toBe(9)
      })
    )

    it.effect(
      "[limits.storagePart] a part has so many objects, and the next one has the rest",
      () =>
        Effect.gen(function* () {
          const objects = yield* ObjectStore
          const stored = yield* StoredBytes
          const projectId = yield* newProject
          const before = (yield* objects.list("")).length
          for (const [room, bytes] of [3, 20, 100].entries()) {
            const key = `rooms/${projectId}/r${room}`
            yield* objects.put({ key, bytes: new Uint8Array(bytes), manifest: {} })
          }
          const whole = yield* stored.part({ place: "objects", after: "", most: before + 4 })
          expect(whole.last).toBe(null)
          // Whether a full part is the last one is known at the next.
          const full = yield* stored.part({ place: "objects", after: "", most: before + 3 })
          expect(full.sums).toEqual(whole.sums)
          expect(yield* stored.part({ place: "objects", after: full.last ?? "", most: 1 })).toEqual(
            {
              last: null,
              sums: []
            }
          )
          let found = 0
          for (let after: string | null = ""; after !== null;) {
            const part: StoredPart = yield* stored.part({ place: "objects", after, most: 1 })
            for (const sum of part.sums) if (sum.projectId === projectId) found += sum.bytes
            after = part.last
          }
          expect(found).toBe(123)
        })
    )
  })
