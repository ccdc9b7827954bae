import { BoardLimits } from "@atrium/domain/boards/BoardLimits"
import { periodAt } from "@atrium/domain/boards/BoardPeriods"
import type { Boards } from "@atrium/domain/boards/Boards"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { isoOf } from "@atrium/domain/shared/IsoText"
import { DayMs } from "@atrium/wire/limits/Limit"
import { expect, layer } from "@effect/vitest"
import { Clock, Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"

import { PlayerData } from "../accounts/PlayerData.ts"
import { DeletedProjects } from "../projects/DeletedProjects.ts"
import { ProjectStore } from "../projects/ProjectStore.ts"
import { newProject } from "../store/testing/TestStores.ts"
import type { TestTables } from "../store/testing/TestTables.ts"
import type { Submit } from "./BoardMachine.ts"
import type { SeriesName } from "./BoardRows.ts"
import { BoardStore } from "./BoardStore.ts"

const submitOf = (more: Partial<Submit>): Submit => ({
  board: "main",
  bucket: null,
  playerId: "ann",
  score: 0,
  digest: null,
  ...more
})

const withBoards = Effect.fnUntraced(function* (boards: Boards) {
  const projectId = yield* newProject
  yield* (yield* ProjectStore).declare(projectId, { boards })
  return projectId
})

const scored = (projectId: ProjectId, ...scores: ReadonlyArray<Partial<Submit>>) =>
  Effect.flatMap(BoardStore, (store) => store.submit(projectId, scores.map(submitOf)))

const seriesOf = (projectId: ProjectId, more: Partial<SeriesName> = {}): SeriesName => ({
  projectId,
  board: "main",
  period: "",
  bucket: "",
  ...more
})

const shown = (of: SeriesName) =>
  Effect.flatMap(BoardStore, (store) =>
    Effect.map(store.top(of, 100), (rows) =>
      rows.map(({ rank, playerId, key }) => `${rank} ${playerId} ${key}`)
    )
  )

const sweep = Effect.flatMap(BoardStore, ({ removeSome }) =>
  Effect.repeat(removeSome, { until: (more) => !more })
)

/**
 * The behaviour of every layer of `BoardStore`.
 * @param name of the layer, as the report shows it
 */
export const boardStoreContract = (
  name: string,
  stores: Layer.Layer<
    BoardStore | ProjectStore | DeletedProjects | PlayerData | TestTables,
    unknown
  >
): void =>
  layer(stores)(name, (it) => {
    it.effect("[C-580] ranks by score, then by the earlier moment, then by the player's id", () =>
      Effect.gen(function* () {
        const project = yield* withBoards({
          main: { direction: "higher" },
          laps: { direction: "lower" }
        })
        const atMs = yield* Clock.currentTimeMillis
        yield* scored(project, { playerId: "cid", score: 5 }, { playerId: "bea", score: 5 })
        yield* TestClock.adjust(10)
        yield* scored(project, { playerId: "ann", score: 5 }, { playerId: "dan", score: -7 })
        yield* scored(project, { playerId: "eve", score: 9 }, { board: "laps", score: 3 })
        yield* scored(project, { board: "laps", playerId: "bob", score: -3 })
        expect(yield* shown(seriesOf(project))).toEqual([
          "1 eve -9",
          "2 bea -5",
          "3 cid -5",
          "4 ann -5",
          "5 dan 7"
        ])
        const store = yield* BoardStore
        expect(yield* store.top(seriesOf(project), 2)).toEqual([
          { rank: 1, playerId: "eve", key: -9, atMs: atMs + 10 },
          { rank: 2, playerId: "bea", key: -5, atMs }
        ])
        expect(yield* shown(seriesOf(project, { board: "laps" }))).toEqual(["1 bob -3", "2 ann 3"])
        expect(yield* shown(seriesOf(project, { period: "2026-11" }))).toEqual([])
        expect(yield* shown(seriesOf(yield* newProject))).toEqual([])
      })
    )

    it.effect("[lb.around.max] shows a player between its neighbours, with their ranks", () =>
      Effect.gen(function* () {
        const project = yield* withBoards({ main: { direction: "higher" } })
        const players = Array.from({ length: 20 }, (_, n) => ({ playerId: `p${n}`, score: -n }))
        yield* scored(project, ...players)
        const store = yield* BoardStore
        const around = (playerId: string, each: number) =>
          Effect.map(store.around(seriesOf(project), { playerId, each }), (rows) =>
            rows.map((row) => `${row.rank} ${row.playerId}`)
          )
        expect(yield* around("p10", 2)).toEqual(["9 p8", "10 p9", "11 p10", "12 p11", "13 p12"])
        expect(yield* around("p0", 1)).toEqual(["1 p0", "2 p1"])
        expect(yield* around("p19", 3)).toEqual(["17 p16", "18 p17", "19 p18", "20 p19"])
        expect(yield* around("nobody", 3)).toEqual([])
      })
    )

    it.effect("[D-52] a further score is the best, the sum or the last one", () =>
      Effect.gen(function* () {
        const project = yield* withBoards({
          main: { direction: "higher" },
          sums: { direction: "higher", mode: "sum" },
          last: { direction: "lower", mode: "last" }
        })
        const each = (score: number, digest: string) => [
          { score },
          { board: "sums", score, digest },
          { board: "last", score }
        ]
        yield* scored(project, ...each(5, "a"), ...each(8, "b"), ...each(3, "c"))
        yield* TestClock.adjust(1)
        const outcomes = yield* scored(project, ...each(8, "d"))
        expect(outcomes).toMatchObject([
          { score: 8, changed: false },
          { score: 24, changed: true },
          { score: 8, changed: true }
        ])
        expect(yield* shown(seriesOf(project))).toEqual(["1 ann -8"])
        expect(yield* shown(seriesOf(project, { board: "sums" }))).toEqual(["1 ann -24"])
        expect(yield* shown(seriesOf(project, { board: "last" }))).toEqual(["1 ann 8"])
      })
    )

    it.effect("[limits.submitIdKept] [C-584] an id counts once, until it is 24 hours old", () =>
      Effect.gen(function* () {
        const project = yield* withBoards({ main: { direction: "higher", mode: "sum" } })
        const submit = { score: 5, digest: "match-1" }
        const [first, again] = yield* scored(project, submit, submit)
        expect([first, again]).toMatchObject([
          { score: 5, changed: true },
          { score: 5, changed: false }
        ])
        yield* TestClock.adjust(BoardLimits.submitIdKept.ms - 1)
        yield* sweep
        expect(yield* scored(project, submit)).toMatchObject([{ score: 5, changed: false }])
        yield* TestClock.adjust(1)
        expect(yield* scored(project, submit)).toMatchObject([{ score: 10, changed: true }])
        yield* sweep
        expect(yield* scored(project, submit)).toMatchObject([{ score: 10, changed: false }])
      })
    )

    it.effect("[boards.period.separates] periods and buckets have scores of their own", () =>
      Effect.gen(function* () {
        const project = yield* withBoards({
          main: { direction: "higher", period: "daily", buckets: true }
        })
        const dayOf = Effect.map(Clock.currentTimeMillis, (nowMs) => periodAt("daily", nowMs).name)
        const first = yield* dayOf
        yield* scored(project, { bucket: "eu", score: 1 }, { bucket: "us", score: 2 })
        yield* TestClock.adjust(DayMs)
        yield* scored(project, { bucket: "eu", score: 3 })
        const day = (period: string, bucket: string) => shown(seriesOf(project, { period, bucket }))
        expect(yield* day(first, "eu")).toEqual(["1 ann -1"])
        expect(yield* day(first, "us")).toEqual(["1 ann -2"])
        expect(yield* day(yield* dayOf, "eu")).toEqual(["1 ann -3"])
        expect(yield* day(yield* dayOf, "us")).toEqual([])
        expect(yield* scored(project, { score: 1 })).toEqual([
          { _tag: "Refused", why: "bucketMissing" }
        ])
      })
    )

    it.effect("[boards.keep.default] [boards.keep.declared] keeps the newest past periods", () =>
      Effect.gen(function* () {
        const project = yield* withBoards({
          main: { direction: "higher", period: "weekly" },
          few: { direction: "higher", period: "daily", keep: 2 }
        })
        const days: Array<string> = []
        const weeks: Array<string> = []
        for (let week = 0; week < 14; week++) {
          const nowMs = yield* Clock.currentTimeMillis
          days.push(periodAt("daily", nowMs).name)
          weeks.push(periodAt("weekly", nowMs).name)
          yield* scored(project, { score: week }, { board: "few", score: week })
          yield* TestClock.adjust(7 * DayMs)
        }
        yield* sweep
        const kept = Effect.fnUntraced(function* (board: string, periods: ReadonlyArray<string>) {
          const rows = yield* Effect.forEach(periods, (period) =>
            shown(seriesOf(project, { board, period }))
          )
          return rows.filter(([row]) => row !== undefined).length
        })
        expect(yield* kept("main", weeks)).toBe(12)
        expect(yield* kept("main", weeks.slice(0, 2))).toBe(0)
        expect(yield* kept("few", days)).toBe(2)
        yield* scored(project, { board: "few", score: 1 })
        yield* sweep
        expect(yield* kept("few", days)).toBe(2)
      })
    )

    it.effect(
      "[boards.removed-deleted-with-scores] a removed or turned board loses its scores",
      () =>
        Effect.gen(function* () {
          const projects = yield* ProjectStore
          const boards: Boards = { main: { direction: "higher" }, laps: { direction: "lower" } }
          const project = yield* withBoards(boards)
          const fill = scored(project, { score: 4 }, { board: "laps", score: 4 })
          yield* fill
          yield* projects.declare(project, { boards: { laps: { direction: "lower", keep: 3 } } })
          yield* projects.declare(project, { boards })
          expect(yield* shown(seriesOf(project))).toEqual([])
          expect(yield* shown(seriesOf(project, { board: "laps" }))).toEqual(["1 ann 4"])
          yield* projects.declare(project, { boards: { ...boards, laps: { direction: "higher" } } })
          expect(yield* shown(seriesOf(project, { board: "laps" }))).toEqual([])
          yield* sweep
          yield* fill
          expect(yield* shown(seriesOf(project, { board: "laps" }))).toEqual(["1 ann -4"])
          yield* projects.declare(project, { boards: {} })
          expect(yield* scored(project, { score: 4 })).toEqual([
            { _tag: "Refused", why: "boardUnknown" }
          ])
        })
    )

    it.effect(
      "[C-540] keeps the scores of an erased player under the new id, in their places",
      () =>
        Effect.gen(function* () {
          const project = yield* withBoards({
            main: { direction: "higher" },
            laps: { direction: "lower", buckets: true }
          })
          const data = yield* PlayerData
          const atMs = yield* Clock.currentTimeMillis
          for (const playerId of ["ann", "bob", "cid"])
            yield* scored(project, { playerId, score: 5 })
          yield* scored(project, { board: "laps", bucket: "eu", playerId: "bob", score: 61 })
          const { rows } = yield* data.page({ projectId: project, playerId: "bob" }, null)
          const at = isoOf(atMs)
          expect(rows["scores"]).toEqual([
            { board: "laps", period: "", bucket: "eu", score: 61, at },
            { board: "main", period: "", bucket: "", score: 5, at }
          ])
          yield* data.erase({ projectId: project, playerId: "bob", newId: "pl_new" })
          expect(yield* shown(seriesOf(project))).toEqual(["1 ann -5", "2 cid -5", "3 pl_new -5"])
          const laps = seriesOf(project, { board: "laps", bucket: "eu" })
          expect(yield* shown(laps)).toEqual(["1 pl_new 61"])
          const store = yield* BoardStore
          const around = yield* store.around(seriesOf(project), { playerId: "pl_new", each: 5 })
          expect(around.map(({ rank }) => rank)).toEqual([1, 2, 3])
          expect(
            (yield* data.page({ projectId: project, playerId: "bob" }, null)).rows["scores"]
          ).toEqual([])
        })
    )

    it.effect("[C-71] nothing is left of a deleted project", () =>
      Effect.gen(function* () {
        const project = yield* withBoards({ main: { direction: "higher" } })
        yield* scored(project, { score: 4, digest: "one" }, { playerId: "bob", score: 4 })
        yield* (yield* ProjectStore).delete(project)
        expect(yield* scored(project, { score: 5 })).toMatchObject([{ why: "boardUnknown" }])
        expect(yield* shown(seriesOf(project))).toEqual([])
        const deleted = yield* DeletedProjects
        yield* Effect.repeat(deleted.removeSome(project), { until: (some) => some === 0, times: 9 })
        expect(yield* deleted.removeSome(project)).toBe(0)
      })
    )
  })
