import { AccountLimits } from "@atrium/domain/accounts/AccountLimits"
import { ProjectId } from "@atrium/domain/shared/Ids"
import { expect, layer } from "@effect/vitest"
import { Context, Effect, type Layer } from "effect"

import { PlayerStore } from "../rooms/PlayerStore.ts"
import { type ExportCursor, type ExportPage, PlayerData } from "./PlayerData.ts"

/** A noun whose rows stay when their player is deleted: a board's scores, say. */
export class TestScores extends Context.Service<
  TestScores,
  { add(projectId: ProjectId, playerId: string, scores: number): Effect.Effect<void> }
>()("@atrium/actors/accounts/TestScores") {}

const projectId = ProjectId.make("p_00000000000000a1")
const foreign = ProjectId.make("p_00000000000000a2")
const fields = new Uint8Array([1, 2, 255])
const exportedFields = { fields: "AQL/", writtenAt: "1970-01-01T00:00:00.000Z" }

/** All rows of an export by their part, and how many pages it took. */
const exported = Effect.fnUntraced(function* (playerId: string, of = projectId) {
  const data = yield* PlayerData
  const all: Record<string, ReadonlyArray<unknown>> = {}
  let cursor: ExportCursor | null = null
  let pages = 0
  do {
    const page: ExportPage = yield* data.page({ projectId: of, playerId }, cursor)
    for (const [part, rows] of Object.entries(page.rows)) {
      all[part] = [...(all[part] ?? []), ...rows]
    }
    cursor = page.next
    pages += 1
  } while (cursor !== null)
  return { all, pages }
})

/**
 * The behaviour of every layer of `PlayerData`.
 * @param name of the layer, as the report shows it
 */
export const playerDataContract = (
  name: string,
  stores: Layer.Layer<PlayerData | PlayerStore | TestScores, unknown>
): void =>
  layer(stores)(name, (it) => {
    it.effect("[C-540] exports what every noun keeps of a player, page by page and in order", () =>
      Effect.gen(function* () {
        const { max } = AccountLimits.exportRows
        yield* (yield* PlayerStore).save(projectId, [{ playerId: "eve", fields }])
        yield* (yield* TestScores).add(projectId, "eve", max + 1)
        const score = (at: number) => ({ board: at % 2 === 0 ? "a" : "b", at, score: 0 - at })
        const numbers = Array.from({ length: max + 1 }, (_, at) => at)
        const scores = [0, 1].flatMap((odd) => numbers.filter((at) => at % 2 === odd).map(score))
        expect(yield* exported("eve")).toEqual({
          all: { fields: [exportedFields], scores },
          pages: 2
        })
        const data = yield* PlayerData
        const part = (name: string) => data.part({ projectId, playerId: "eve" }, name)
        expect(yield* part("fields")).toEqual([exportedFields])
        expect(yield* part("scores")).toEqual(scores.slice(0, max))
        expect(yield* part("nothing")).toEqual([])
        expect((yield* exported("nobody")).all).toEqual({ fields: [], scores: [] })
        expect((yield* exported("eve", foreign)).all).toEqual({ fields: [], scores: [] })
      })
    )

    it.effect("[C-540] erases a player and keeps the scores under the new id", () =>
      Effect.gen(function* () {
        const data = yield* PlayerData
        const [store, scores] = [yield* PlayerStore, yield* TestScores]
        for (const [project, playerId] of [
          [projectId, "ann"],
          [projectId, "bea"],
          [foreign, "ann"]
        ] as const) {
          yield* store.save(project, [{ playerId, fields }])
          yield* scores.add(project, playerId, 1)
        }
        yield* data.erase({ projectId, playerId: "ann", newId: "pl_new" })
        const score = { board: "a", at: 0, score: 0 }
        const whole = { fields: [exportedFields], scores: [score] }
        expect((yield* exported("ann")).all).toEqual({ fields: [], scores: [] })
        expect((yield* exported("pl_new")).all).toEqual({ fields: [], scores: [score] })
        expect((yield* exported("bea")).all).toEqual(whole)
        expect((yield* exported("ann", foreign)).all).toEqual(whole)
      })
    )
  })
