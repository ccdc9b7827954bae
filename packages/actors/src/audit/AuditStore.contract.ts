import { AuditLimits } from "@atrium/domain/audit/AuditLimits"
import { ProjectId } from "@atrium/domain/shared/Ids"
import { expect, layer } from "@effect/vitest"
import { Clock, Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"

import type { ProjectStore } from "../projects/ProjectStore.ts"
import { newProject } from "../store/testing/TestStores.ts"
import { TestTables } from "../store/testing/TestTables.ts"
import { type AuditEntry, AuditStore } from "./AuditStore.ts"

const entry = (more: Partial<AuditEntry>): AuditEntry => ({
  action: "room.delete",
  outcome: "done",
  projectId: null,
  accountId: null,
  target: "arena",
  actor: "tok_0123456789abcdef",
  address: "192.0.2.1",
  requestId: "0123456789abcdef",
  ...more
})
const page = { sinceMs: 0, limit: 100 }

/**
 * The behaviour of every layer of `AuditStore`.
 * @param name of the layer, as the report shows it
 */
export const auditStoreContract = (
  name: string,
  stores: Layer.Layer<AuditStore | ProjectStore | TestTables, unknown>
): void =>
  layer(stores)(name, (it) => {
    it.effect("[C-233] shows what was done to a project, and to all projects of an account", () =>
      Effect.gen(function* () {
        const store = yield* AuditStore
        const accountId = yield* (yield* TestTables).account
        const [one, other] = [yield* newProject, yield* newProject]
        const fromMs = yield* Clock.currentTimeMillis
        yield* store.append(entry({ projectId: one, actor: "key_1", target: "first" }))
        yield* TestClock.adjust(10)
        yield* store.append(entry({ projectId: other, accountId, target: "second" }))
        yield* TestClock.adjust(10)
        yield* store.append(entry({ accountId, action: "login.revoke", target: "third" }))
        yield* store.append(entry({ accountId: "acc_foreign", target: "foreign" }))
        const targets = (rows: ReadonlyArray<{ readonly target: string | null }>) =>
          rows.map(({ target }) => target)
        expect(yield* store.list({ projectId: one }, page)).toEqual([
          {
            atMs: fromMs,
            action: "room.delete",
            outcome: "done",
            projectId: one,
            target: "first",
            actor: "key_1",
            address: "192.0.2.1",
            requestId: "0123456789abcdef"
          }
        ])
        const ofAccount = (more: Partial<typeof page>) =>
          Effect.map(store.list({ accountId }, { ...page, ...more }), targets)
        expect(yield* ofAccount({})).toEqual(["third", "second", "first"])
        expect(yield* ofAccount({ limit: 2 })).toEqual(["third", "second"])
        expect(yield* ofAccount({ sinceMs: fromMs + 10 })).toEqual(["third", "second"])
        expect(yield* ofAccount({ sinceMs: fromMs + 11 })).toEqual(["third"])
        expect(
          yield* store.list({ projectId: ProjectId.make("p_00000000000000ee") }, page)
        ).toEqual([])
      })
    )

    it.effect(
      "[limits.auditKept] [C-233] a row goes when it is 90 days old, and not a millisecond earlier",
      () =>
        Effect.gen(function* () {
          const store = yield* AuditStore
          yield* TestClock.adjust(AuditLimits.auditKept.ms)
          yield* store.removeOld
          yield* store.append(entry({ accountId: "acc_old", target: "old" }))
          yield* TestClock.adjust(1)
          yield* store.append(entry({ accountId: "acc_old", target: "newer" }))
          yield* TestClock.adjust(AuditLimits.auditKept.ms - 2)
          expect(yield* store.removeOld).toBe(0)
          yield* TestClock.adjust(1)
          expect(yield* store.removeOld).toBe(1)
          const left = yield* store.list({ accountId: "acc_old" }, page)
          expect(left.map(({ target }) => target)).toEqual(["newer"])
        })
    )
  })
