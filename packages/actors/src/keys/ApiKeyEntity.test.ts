import { KeyLimits } from "@atrium/domain/keys/KeyLimits"
import type { KeyId } from "@atrium/domain/shared/Ids"
import type { Scope } from "@atrium/domain/shared/Scope"
import { expect, layer } from "@effect/vitest"
import { Clock, Effect, Exit, Layer, Option } from "effect"
import { Entity, ShardingConfig } from "effect/cluster"
import { SqlClient } from "effect/sql"
import { ConnectionError, SqlError, SqlSyntaxError } from "effect/sql/SqlError"
import { TestClock } from "effect/testing"

import { refusalTag } from "../store/testing/Refusals.ts"
import { newProject, TestStores } from "../store/testing/TestStores.ts"
import { ApiKeyEntity } from "./ApiKeyEntity.ts"
import { ApiKeyActor } from "./ApiKeyProtocol.ts"
import { ApiKeyStore } from "./ApiKeyStore.ts"

const minuteMs = KeyLimits.keyUseWrites.ms
const tenYearsMs = 3652 * 86_400_000

/** A key, its actor, and what the row says of it. */
const newKey = Effect.fnUntraced(function* (...scopes: ReadonlyArray<Scope>) {
  const keys = yield* ApiKeyStore
  const projectId = yield* newProject
  const { keyId } = yield* keys.mint({ projectId, label: "under test", scopes })
  const row = Effect.map(keys.find(keyId), Option.getOrThrow)
  return { keyId, projectId, row, lastUsedMs: Effect.map(row, (it) => it.lastUsedMs) }
})

/** An actor as a runner loads it that has not had it before. */
const loaded = (keyId: string) =>
  Effect.flatMap(Entity.makeTestClient(ApiKeyActor, ApiKeyEntity), (actorOf) => actorOf(keyId))

const TestActors = TestStores.pipe(Layer.provideMerge(ShardingConfig.layer()))

layer(TestActors)((it) => {
  it.effect("[keys.row.lastUsed] the first use is written, and one a minute after it", () =>
    Effect.gen(function* () {
      const { keyId, projectId, lastUsedMs } = yield* newKey("rooms:write")
      const actor = yield* loaded(keyId)
      const use = actor.Use({ projectId, scope: "rooms:read" })
      yield* TestClock.setTime(1_000_000)
      expect(yield* lastUsedMs).toBeNull()
      yield* use
      expect(yield* lastUsedMs).toBe(1_000_000)
      yield* TestClock.adjust(minuteMs - 1)
      yield* use
      expect(yield* lastUsedMs).toBe(1_000_000)
      yield* TestClock.adjust(1)
      yield* use
      expect(yield* lastUsedMs).toBe(1_000_000 + minuteMs)
    })
  )

  it.effect(
    "[D-18] [auth.403.scope] a refused call is no use of the key, and names the scope",
    () =>
      Effect.gen(function* () {
        const { keyId, projectId, lastUsedMs } = yield* newKey("rooms:read")
        const other = yield* newProject
        const actor = yield* loaded(keyId)
        const refused = yield* Effect.flip(actor.Use({ projectId, scope: "rooms:write" }))
        expect([refused._tag, refused.message]).toEqual([
          "E_SCOPE",
          expect.stringContaining("rooms:write")
        ])
        const foreign = actor.Use({ projectId: other, scope: "rooms:read" })
        expect(yield* refusalTag(foreign)).toBe("E_NOT_FOUND")
        expect(yield* refusalTag(actor.Revoke({ projectId: other }))).toBe("E_KEY_NOT_FOUND")
        expect(yield* lastUsedMs).toBeNull()
      })
  )

  it.effect("[keys.never-expire] a key of ten years ago, unused since, works", () =>
    Effect.gen(function* () {
      const { keyId, projectId, lastUsedMs } = yield* newKey("rooms:read")
      const sql = yield* SqlClient.SqlClient
      const nowMs = yield* Clock.currentTimeMillis
      yield* sql`update api_keys set created_at_ms = ${nowMs - tenYearsMs},
        last_used_ms = ${nowMs - tenYearsMs} where key_id = ${keyId}`
      const actor = yield* loaded(keyId)
      yield* actor.Use({ projectId, scope: "rooms:read" })
      expect(yield* lastUsedMs).toBe(nowMs)
    })
  )

  it.effect(
    "[state.key.delete-revoked] a revocation is for good, and its first moment is kept",
    () =>
      Effect.gen(function* () {
        const { keyId, projectId, row } = yield* newKey("rooms:write")
        const actor = yield* loaded(keyId)
        yield* actor.Use({ projectId, scope: "rooms:read" })
        yield* TestClock.adjust("1 hour")
        yield* actor.Revoke({ projectId })
        const revoked = yield* row
        expect(revoked.revokedAtMs).toBe((revoked.lastUsedMs ?? 0) + 3_600_000)
        yield* TestClock.adjust("1 hour")
        for (const each of [actor, yield* loaded(keyId)]) {
          expect(yield* refusalTag(each.Use({ projectId, scope: "rooms:read" }))).toBe(
            "E_UNAUTHENTICATED"
          )
          yield* each.Revoke({ projectId })
        }
        expect(yield* row).toEqual(revoked)
      })
  )

  it.effect(
    "[state.key.revoked-401] with uses and a revocation at once, no use is granted after the revocation",
    () =>
      Effect.gen(function* () {
        const { keyId, projectId } = yield* newKey("rooms:write")
        const actor = yield* loaded(keyId)
        const order: Array<string> = []
        const use = actor.Use({ projectId, scope: "rooms:read" }).pipe(
          Effect.exit,
          Effect.tap((exit) =>
            Effect.sync(() => order.push(Exit.isSuccess(exit) ? "granted" : "refused"))
          )
        )
        const revoke = Effect.tap(actor.Revoke({ projectId }), () =>
          Effect.sync(() => order.push("revoked"))
        )
        yield* Effect.all([use, use, use, revoke, use, use, use], { concurrency: "unbounded" })
        const at = order.indexOf("revoked")
        expect(order).toHaveLength(7)
        expect(order.slice(at + 1)).not.toContain("granted")
        expect(order.slice(0, at)).toContain("granted")
        expect(order.slice(at + 1)).toContain("refused")
      })
  )

  it.effect("[D-19] a key that nobody has is unknown", () =>
    Effect.gen(function* () {
      const projectId = yield* newProject
      const actor = yield* loaded("key_0000000000000000")
      expect(yield* refusalTag(actor.Revoke({ projectId }))).toBe("E_KEY_NOT_FOUND")
      expect(yield* refusalTag(actor.Use({ projectId, scope: "rooms:read" }))).toBe(
        "E_UNAUTHENTICATED"
      )
    })
  )

  it.effect("[limits.keyUseWrites] many uses at once make one write", () =>
    Effect.gen(function* () {
      const { keyId, projectId } = yield* newKey("rooms:write")
      const keys = yield* ApiKeyStore
      const calls: Array<string> = []
      const counting = Layer.succeed(ApiKeyStore, {
        ...keys,
        load: (id: KeyId) => Effect.andThen(noted(calls, "load"), keys.load(id)),
        save: (id, state) => Effect.andThen(noted(calls, "save"), keys.save(id, state))
      })
      const actor = yield* Effect.provide(loaded(keyId), counting)
      yield* Effect.all(
        Array.from({ length: 50 }, () => actor.Use({ projectId, scope: "rooms:write" })),
        { concurrency: "unbounded" }
      )
      expect(calls).toEqual(["load", "save"])
    })
  )
})

const noted = (calls: Array<string>, call: string) => Effect.sync(() => calls.push(call))

const away = new SqlError({
  reason: new ConnectionError({ cause: new Error("gone"), message: "gone", operation: "query" })
})
const wrong = new SqlError({
  reason: new SqlSyntaxError({
    cause: Object.assign(new Error("no such table"), { code: "42P01" }),
    message: "no such table",
    operation: "query"
  })
})

layer(TestActors)((it) => {
  it.effect.each([away, wrong])(
    "[C-64] a store that fails with %s refuses, and nothing is lost",
    (failure) =>
      Effect.gen(function* () {
        const { keyId, projectId, row } = yield* newKey("rooms:write")
        const keys = yield* ApiKeyStore
        let fails: "load" | "save" | null = "load"
        const failing = Layer.succeed(ApiKeyStore, {
          ...keys,
          load: (id: KeyId) => (fails === "load" ? Effect.die(failure) : keys.load(id)),
          save: (id, state) => (fails === "save" ? Effect.die(failure) : keys.save(id, state))
        })
        const actor = yield* Effect.provide(loaded(keyId), failing)
        const use = actor.Use({ projectId, scope: "rooms:read" })
        expect(yield* refusalTag(use)).toBe("E_NOT_READY")
        fails = "save"
        expect(yield* refusalTag(use)).toBe("E_NOT_READY")
        expect(yield* refusalTag(actor.Revoke({ projectId }))).toBe("E_NOT_READY")
        expect(yield* row).toMatchObject({ lastUsedMs: null, revokedAtMs: null })
        fails = null
        yield* use
        expect(yield* row).toMatchObject({ lastUsedMs: expect.any(Number), revokedAtMs: null })
        yield* actor.Revoke({ projectId })
        // What it knows by now needs no store.
        fails = "load"
        expect(yield* refusalTag(use)).toBe("E_UNAUTHENTICATED")
      })
  )
})
