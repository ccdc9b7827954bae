import { type ProjectId, RoomId } from "@atrium/domain/shared/Ids"
import { RatingLimits } from "@atrium/wire/ratings/RatingLimits"
import { expect, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"

import { PlayerData } from "../accounts/PlayerData.ts"
import { CapStore } from "../meters/CapStore.ts"
import type { ProjectStore } from "../projects/ProjectStore.ts"
import { newProject } from "../store/testing/TestStores.ts"
import { TestTables } from "../store/testing/TestTables.ts"
import type { RatingReport } from "./RatingReport.ts"
import { RatingStore } from "./RatingStore.ts"

const roomId = RoomId.make("arena")
/** A report of which the first player won, then the second, and so on. */
const won = (
  projectId: ProjectId,
  players: ReadonlyArray<string>,
  more: Partial<RatingReport> = {}
): RatingReport => ({
  projectId,
  roomId,
  queue: "default",
  reportId: players.join(" before "),
  results: players.map((player, index) => ({ player, place: index + 1 })),
  ...more
})
const near = (rating: number, deviation: number) => ({
  rating: expect.closeTo(rating, 1),
  deviation: expect.closeTo(deviation, 1)
})

/**
 * The behaviour of every layer of `RatingStore`.
 * @param name of the layer, as the report shows it
 */
export const ratingStoreContract = (
  name: string,
  stores: Layer.Layer<CapStore | PlayerData | ProjectStore | RatingStore | TestTables, unknown>
): void =>
  layer(stores)(name, (it) => {
    it.effect("[rating.start] a player without a result has no rating; a report gives one", () =>
      Effect.gen(function* () {
        const ratings = yield* RatingStore
        const [one, other] = [yield* newProject, yield* newProject]
        expect(yield* ratings.of(one, "default", ["ann"])).toEqual(new Map())
        const both = new Map([
          ["ann", near(1662.2, 290.2)],
          ["Änn 😀", near(1337.8, 290.2)]
        ])
        const report = won(one, ["ann", "Änn 😀"])
        expect(yield* ratings.report(report)).toEqual({ counted: true, ratings: both })
        expect(yield* ratings.of(one, "default", ["ann", "nobody", "Änn 😀"])).toEqual(both)
        expect(yield* ratings.of(one, "default", [])).toEqual(new Map())
        expect(yield* ratings.of(one, "ranked", ["ann"])).toEqual(new Map())
        expect(yield* ratings.of(other, "default", ["ann"])).toEqual(new Map())
      })
    )

    it.effect("[rating.ties] a tied pair moves by the same amount, in opposite directions", () =>
      Effect.gen(function* () {
        const ratings = yield* RatingStore
        const projectId = yield* newProject
        yield* ratings.report(won(projectId, ["ann", "bob"]))
        const results = ["ann", "bob"].map((player) => ({ player, place: 1 }))
        const report = { ...won(projectId, []), reportId: "tied", results }
        const { ratings: after } = yield* ratings.report(report)
        const [ann, bob] = [after.get("ann")?.rating ?? 0, after.get("bob")?.rating ?? 0]
        expect(ann).toBeLessThan(1662)
        expect(ann - 1500).toBeCloseTo(1500 - bob, 6)
      })
    )

    it.effect("[C-593] an id counts once per room, whatever else the report says", () =>
      Effect.gen(function* () {
        const ratings = yield* RatingStore
        const projectId = yield* newProject
        const first = yield* ratings.report(won(projectId, ["ann", "bob"], { reportId: "1" }))
        const again = won(projectId, ["bob", "ann"], { reportId: "1" })
        expect(yield* ratings.report(again)).toEqual({ ...first, counted: false })
        const strangers = won(projectId, ["cat", "dog"], { reportId: "1" })
        expect(yield* ratings.report(strangers)).toEqual({ counted: false, ratings: new Map() })
        const elsewhere = { ...strangers, roomId: RoomId.make("other") }
        expect((yield* ratings.report(elsewhere)).counted).toBe(true)
      })
    )

    it.effect(
      "[rating.rows] the 1,000,000th rating is stored; a report past it changes nothing",
      () =>
        Effect.gen(function* () {
          const ratings = yield* RatingStore
          const projectId = yield* newProject
          yield* (yield* TestTables).addRatings(projectId, RatingLimits.ratings.max - 3)
          yield* ratings.report(won(projectId, ["ann", "bob"]))
          const over = won(projectId, ["ann", "cat", "dog"])
          const refused = yield* Effect.flip(ratings.report(over))
          expect(refused._tag).toBe("E_RATINGS_FULL")
          expect(yield* ratings.of(projectId, "default", ["ann", "cat"])).toEqual(
            new Map([["ann", near(1662.2, 290.2)]])
          )
          const fits = { ...over, results: over.results.slice(0, 2) }
          expect((yield* ratings.report(fits)).counted).toBe(true)
          // Of queues and players that are known there may be any number of reports.
          expect((yield* ratings.report(won(projectId, ["bob", "cat"]))).counted).toBe(true)
          const queue = won(projectId, ["ann", "bob"], { queue: "ranked", reportId: "ranked" })
          expect((yield* Effect.flip(ratings.report(queue)))._tag).toBe("E_RATINGS_FULL")
        })
    )

    it.effect("[C-640] reports that come together count one after the other, each id once", () =>
      Effect.gen(function* () {
        const ratings = yield* RatingStore
        const [one, other] = [yield* newProject, yield* newProject]
        const rounds = [
          ["ann", "bob"],
          ["bob", "cat"],
          ["cat", "ann", "bob"],
          ["dog", "ann"]
        ]
        const reports = (projectId: ProjectId) => [
          ...rounds.map((players) => won(projectId, players)),
          won(projectId, ["dog", "ann"]),
          won(projectId, ["ann", "dog"], { queue: "duo", reportId: "duo" })
        ]
        const inTurn = yield* Effect.forEach(reports(one), ratings.report)
        const together = yield* Effect.forEach(reports(other), ratings.report, {
          concurrency: "unbounded"
        })
        expect(together.map(({ counted }) => counted)).toEqual([
          true,
          true,
          true,
          true,
          false,
          true
        ])
        expect(together).toEqual(inTurn)
        for (const queue of ["default", "duo"]) {
          const [kept, same] = [
            yield* ratings.of(other, queue, ["ann", "bob", "cat", "dog"]),
            yield* ratings.of(one, queue, ["ann", "bob", "cat", "dog"])
          ]
          expect(kept).toEqual(same)
        }
      })
    )

    it.effect("[C-640] of reports that come together one that does not fit fails alone", () =>
      Effect.gen(function* () {
        const ratings = yield* RatingStore
        const projectId = yield* newProject
        yield* (yield* TestTables).addRatings(projectId, RatingLimits.ratings.max - 3)
        const players = [
          ["ann", "bob"],
          ["cat", "dog"],
          ["bob", "ann"]
        ]
        const exits = yield* Effect.forEach(
          players,
          (each) => Effect.exit(ratings.report(won(projectId, each))),
          { concurrency: "unbounded" }
        )
        expect(exits.map(({ _tag }) => _tag)).toEqual(["Success", "Failure", "Success"])
      })
    )

    it.effect("[C-596] at the storage wall no rating is added; those that are there move", () =>
      Effect.gen(function* () {
        const ratings = yield* RatingStore
        const projectId = yield* newProject
        yield* ratings.report(won(projectId, ["ann", "bob"]))
        yield* (yield* CapStore).set(projectId, { storageBytes: 0 })
        const refused = yield* Effect.flip(ratings.report(won(projectId, ["ann", "cat"])))
        expect(refused._tag).toBe("E_CAP_REACHED")
        expect((yield* ratings.report(won(projectId, ["bob", "ann"]))).counted).toBe(true)
        expect((yield* ratings.of(projectId, "default", ["ann", "cat"])).size).toBe(1)
      })
    )

    it.effect(
      "[C-596] a deleted player's ratings stay under the new id; the export shows them",
      () =>
        Effect.gen(function* () {
          const ratings = yield* RatingStore
          const data = yield* PlayerData
          const projectId = yield* newProject
          const elsewhere = yield* newProject
          for (const project of [projectId, elsewhere]) {
            yield* ratings.report(won(project, ["ann", "bob"]))
            yield* ratings.report(won(project, ["ann", "bob"], { queue: "duo", reportId: "duo" }))
          }
          const exported = (playerId: string) =>
            Effect.map(data.page({ projectId, playerId }, null), ({ rows }) => rows["ratings"])
          const row = { ...near(1662.2, 290.2), ratedAt: expect.any(String) }
          const both = [
            { queue: "default", ...row },
            { queue: "duo", ...row }
          ]
          expect(yield* exported("ann")).toEqual(both)
          yield* data.erase({ projectId, playerId: "ann", newId: "pl_new" })
          expect([yield* exported("ann"), yield* exported("pl_new")]).toEqual([[], both])
          expect((yield* ratings.of(projectId, "duo", ["ann", "pl_new"])).size).toBe(1)
          expect((yield* ratings.of(elsewhere, "duo", ["ann", "pl_new"])).has("ann")).toBe(true)
        })
    )

    // Last, as the clock goes on for all tests of the file.
    it.effect(
      "[limits.ratingReportKept] [C-591] [C-593] an id is known for 24 hours; the deviation grows meanwhile",
      () =>
        Effect.gen(function* () {
          const ratings = yield* RatingStore
          const projectId = yield* newProject
          yield* TestClock.adjust(RatingLimits.ratingReportKept.ms)
          yield* ratings.removeOld
          const report = won(projectId, ["ann", "bob"])
          yield* ratings.report(report)
          yield* TestClock.adjust(RatingLimits.ratingReportKept.ms - 1)
          expect(yield* ratings.removeOld).toBe(0)
          expect((yield* ratings.report(report)).counted).toBe(false)
          yield* TestClock.adjust(1)
          expect(yield* ratings.removeOld).toBe(1)
          expect(yield* ratings.of(projectId, "default", ["ann"])).toEqual(
            new Map([["ann", near(1662.2, 290.8)]])
          )
          expect((yield* ratings.report(report)).counted).toBe(true)
        })
    )
  })
