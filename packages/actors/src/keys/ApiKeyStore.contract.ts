import { createHash } from "node:crypto"

import { KeyId } from "@atrium/domain/shared/Ids"
import { expect, layer } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import { TestClock } from "effect/testing"

import { ProjectStore } from "../projects/ProjectStore.ts"
import { makeSecret } from "../store/Secrets.ts"
import { newProject } from "../store/testing/TestStores.ts"
import type { TestTables } from "../store/testing/TestTables.ts"
import { ApiKeyState } from "./ApiKeyMachine.ts"
import { ApiKeyStore } from "./ApiKeyStore.ts"

const scopes = ["rooms:read"] as const
const nobody = KeyId.make("key_0000000000000000")

/**
 * The behaviour of every layer of `ApiKeyStore`.
 * @param name of the layer, as the report shows it
 */
export const apiKeyStoreContract = (
  name: string,
  stores: Layer.Layer<ApiKeyStore | ProjectStore | TestTables, unknown>
): void =>
  layer(stores)(name, (it) => {
    it.effect("[D-17] a minted key is active, unused, and read as it was made", () =>
      Effect.gen(function* () {
        const keys = yield* ApiKeyStore
        const projectId = yield* newProject
        yield* TestClock.adjust("5 seconds")
        const minted = yield* keys.mint({ projectId, label: "ci 😀", scopes })
        const { secret, ...row } = minted
        expect(row).toEqual({
          keyId: expect.stringMatching(/^key_[0-9a-f]{16}$/),
          label: "ci 😀",
          scopes,
          createdAtMs: expect.any(Number),
          lastUsedMs: null,
          revokedAtMs: null
        })
        expect(row.createdAtMs).toBeGreaterThanOrEqual(5000)
        expect(secret).toMatch(/^rk_[A-Za-z0-9_-]{43}$/)
        expect(yield* keys.find(row.keyId)).toEqual(Option.some(row))
        expect(yield* keys.list(projectId)).toEqual([row])
        expect(yield* keys.load(row.keyId)).toEqual(
          ApiKeyState.Active({ projectId, scopes, lastUsedMs: null })
        )
        expect(yield* keys.opened(secret)).toEqual(
          Option.some({ keyId: row.keyId, projectStands: true })
        )
      })
    )

    it.effect("[keys.secret.only-hash-stored] only the secret itself opens its key", () =>
      Effect.gen(function* () {
        const keys = yield* ApiKeyStore
        const projectId = yield* newProject
        const { secret } = yield* keys.mint({ projectId, label: "hash", scopes })
        const hash = createHash("sha256").update(secret).digest("hex")
        for (const wrong of ["", "rk_", makeSecret("apiKey"), hash, secret.slice(0, -1)]) {
          expect(yield* keys.opened(wrong)).toEqual(Option.none())
        }
      })
    )

    it.effect(
      "[D-04] keys are listed newest first, also those of one moment, each to its project",
      () =>
        Effect.gen(function* () {
          const keys = yield* ApiKeyStore
          const projectId = yield* newProject
          const other = yield* newProject
          const labels = ["one", "two", "three", "four"]
          yield* Effect.forEach(labels.slice(0, 3), (label) =>
            keys.mint({ projectId, label, scopes })
          )
          yield* TestClock.adjust(1)
          yield* keys.mint({ projectId, label: "four", scopes })
          const foreign = yield* keys.mint({ projectId: other, label: "other", scopes })
          const listed = yield* keys.list(projectId)
          expect(listed.map(({ label }) => label)).toEqual(labels.toReversed())
          expect((yield* keys.list(other)).map(({ keyId }) => keyId)).toEqual([foreign.keyId])
        })
    )

    it.effect("[keys.row.stays-after-revoke] a revoked key stays listed and opens nothing", () =>
      Effect.gen(function* () {
        const keys = yield* ApiKeyStore
        const projectId = yield* newProject
        const minted = yield* keys.mint({ projectId, label: "gone", scopes })
        const { secret, ...row } = minted
        yield* keys.save(row.keyId, ApiKeyState.Active({ projectId, scopes, lastUsedMs: 41 }))
        expect(yield* keys.find(row.keyId)).toEqual(Option.some({ ...row, lastUsedMs: 41 }))
        const revoked = ApiKeyState.Revoked({ projectId, revokedAtMs: 42 })
        yield* keys.save(row.keyId, revoked)
        expect(yield* keys.list(projectId)).toEqual([{ ...row, lastUsedMs: 41, revokedAtMs: 42 }])
        expect(yield* keys.load(row.keyId)).toEqual(revoked)
        expect(yield* keys.opened(secret)).toEqual(Option.none())
      })
    )

    it.effect("[state.key.delete-revoked] no later write takes a revocation back or moves it", () =>
      Effect.gen(function* () {
        const keys = yield* ApiKeyStore
        const projectId = yield* newProject
        const { keyId, secret } = yield* keys.mint({ projectId, label: "once", scopes })
        yield* keys.save(keyId, ApiKeyState.Revoked({ projectId, revokedAtMs: 42 }))
        yield* keys.save(keyId, ApiKeyState.Revoked({ projectId, revokedAtMs: 43 }))
        yield* keys.save(keyId, ApiKeyState.Active({ projectId, scopes, lastUsedMs: 44 }))
        expect(yield* keys.load(keyId)).toEqual(ApiKeyState.Revoked({ projectId, revokedAtMs: 42 }))
        expect(yield* keys.opened(secret)).toEqual(Option.none())
      })
    )

    it.effect("[C-62] a key tells that its project was deleted", () =>
      Effect.gen(function* () {
        const keys = yield* ApiKeyStore
        const projectId = yield* newProject
        const { keyId, secret } = yield* keys.mint({ projectId, label: "orphan", scopes })
        yield* (yield* ProjectStore).delete(projectId)
        expect(yield* keys.opened(secret)).toEqual(Option.some({ keyId, projectStands: false }))
      })
    )

    it.effect("[D-19] an id that no key has is unknown, and saving nothing makes nothing", () =>
      Effect.gen(function* () {
        const keys = yield* ApiKeyStore
        expect(yield* keys.find(nobody)).toEqual(Option.none())
        expect(yield* keys.load(nobody)).toEqual(ApiKeyState.Unknown())
        yield* keys.save(nobody, ApiKeyState.Unknown())
        expect(yield* keys.find(nobody)).toEqual(Option.none())
      })
    )
  })
