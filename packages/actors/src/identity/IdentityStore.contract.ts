import { ProjectId } from "@atrium/domain/shared/Ids"
import { expect, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"

import { PlayerData } from "../accounts/PlayerData.ts"
import { ProjectStore } from "../projects/ProjectStore.ts"
import { newProject } from "../store/testing/TestStores.ts"
import type { TestTables } from "../store/testing/TestTables.ts"
import { IdentityStore } from "./IdentityStore.ts"

const provider = {
  issuer: "https://login.example",
  audience: "game",
  jwksUrl: "https://login.example/keys"
}

/**
 * The behaviour of every layer of `IdentityStore`.
 * @param name of the layer, as the report shows it
 */
export const identityStoreContract = (
  name: string,
  stores: Layer.Layer<IdentityStore | PlayerData | ProjectStore | TestTables, unknown>
): void =>
  layer(stores)(name, (it) => {
    it.effect("[C-541] the providers of a project are those that were set last", () =>
      Effect.gen(function* () {
        const store = yield* IdentityStore
        const [projectId, other] = [yield* newProject, yield* newProject]
        expect(yield* store.providers(projectId)).toEqual([])
        yield* store.setProviders(projectId, [provider, { ...provider, audience: "tool" }])
        yield* store.setProviders(projectId, [provider])
        expect(yield* store.providers(projectId)).toEqual([provider])
        expect(yield* store.providers(other)).toEqual([])
        yield* store.setProviders(projectId, [])
        expect(yield* store.providers(projectId)).toEqual([])
        yield* (yield* ProjectStore).delete(projectId)
        for (const gone of [projectId, ProjectId.make("p_00000000000000ff")]) {
          const refused = yield* Effect.flip(store.setProviders(gone, [provider]))
          expect(refused._tag).toBe("E_NOT_FOUND")
        }
      })
    )

    it.effect("[D-27] a subject of an issuer is one player, also when it comes twice at once", () =>
      Effect.gen(function* () {
        const store = yield* IdentityStore
        const [projectId, other] = [yield* newProject, yield* newProject]
        const ann = { issuer: "a", subject: "ann" }
        const players = yield* Effect.all(
          Array.from({ length: 8 }, () => store.playerOf(projectId, ann)),
          { concurrency: 8 }
        )
        const [player = ""] = players
        expect(player).toMatch(/^pl_[0-9a-f]{16}$/)
        expect(new Set(players)).toEqual(new Set([player]))
        const others = yield* Effect.all([
          store.playerOf(projectId, { issuer: "aa", subject: "nn" }),
          store.playerOf(projectId, { issuer: "b", subject: "ann" }),
          store.playerOf(projectId, { issuer: "a", subject: "Ann" }),
          store.playerOf(other, ann)
        ])
        expect(new Set([player, ...others]).size).toBe(5)
      })
    )

    it.effect("[C-540] a subject whose player was deleted is a new player", () =>
      Effect.gen(function* () {
        const store = yield* IdentityStore
        const data = yield* PlayerData
        const projectId = yield* newProject
        const ann = { issuer: "a", subject: "ann" }
        const playerId = yield* store.playerOf(projectId, ann)
        const page = yield* data.page({ projectId, playerId }, null)
        expect(page.rows["identities"]).toEqual([
          { issuer: "a", madeAt: expect.stringMatching(/Z$/) }
        ])
        yield* data.erase({ projectId, playerId, newId: "pl_kept" })
        expect(yield* store.playerOf(projectId, ann)).not.toBe(playerId)
      })
    )
  })
