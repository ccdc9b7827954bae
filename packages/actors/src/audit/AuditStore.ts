import { AuditOutcomes } from "@atrium/domain/audit/AuditApi"
import { AuditLimits } from "@atrium/domain/audit/AuditLimits"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

import { projectTable } from "../projects/ProjectStore.ts"
import { atNow, MemoryDatabase, MemoryTable } from "../store/MemoryDatabase.ts"
import { readRows } from "../store/ReadRows.ts"

const ShownAudit = Schema.Struct({
  atMs: Schema.Int,
  action: Schema.String,
  outcome: Schema.Literals(AuditOutcomes),
  projectId: Schema.NullOr(Schema.String),
  target: Schema.NullOr(Schema.String),
  /** Id of the login or the API key. */
  actor: Schema.String,
  address: Schema.String,
  requestId: Schema.String
})
const readAudits = readRows(ShownAudit)

/** An entry of the audit log as it is shown. */
export type StoredAudit = typeof ShownAudit.Type

/** One entry of the audit log. */
export interface AuditEntry extends Omit<StoredAudit, "atMs"> {
  /** `null` = that of the project. */
  readonly accountId: string | null
}

/** Selects the entries of one project, or of one account. */
export type AuditOwner = { readonly projectId: string } | { readonly accountId: string }

export interface AuditPage {
  readonly sinceMs: number
  readonly limit: number
}

interface AuditRow {
  readonly accountId: string | null
  readonly shown: StoredAudit
}

/** The rows of the log in the order in which they were written, by their number. */
const auditTable = new MemoryTable<AuditRow>()

/**
 * The audit log. Its rows outlive the projects that they name, and refer to no other table. A failing
 * store is a defect. Source: C-233.
 */
export class AuditStore extends Context.Service<
  AuditStore,
  {
    append(entry: AuditEntry): Effect.Effect<void>
    /** Newest first. */
    list(owner: AuditOwner, page: AuditPage): Effect.Effect<ReadonlyArray<StoredAudit>>
    /** Removes some of the rows that are kept no longer. @returns how many */
    removeOld: Effect.Effect<number>
  }
>()("@atrium/actors/audit/AuditStore") {
  static readonly layerSql = Layer.effect(
    AuditStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const append = Effect.fn("AuditStore.append")(function* (entry: AuditEntry) {
        const { projectId, accountId } = entry
        const account =
          accountId === null
            ? sql`(select account_id from projects where project_id = ${projectId})`
            : sql`${accountId}`
        yield* Effect.orDie(sql`
          insert into audit (at_ms, account_id, project_id, action, outcome, target, actor, address,
            request_id)
          values (${yield* Clock.currentTimeMillis}, ${account}, ${projectId}, ${entry.action},
            ${entry.outcome}, ${entry.target}, ${entry.actor}, ${entry.address}, ${entry.requestId})`)
      })

      const list = Effect.fn("AuditStore.list")(function* (
        owner: AuditOwner,
        { sinceMs, limit }: AuditPage
      ) {
        const owned =
          "projectId" in owner
            ? sql`project_id = ${owner.projectId}`
            : sql`account_id = ${owner.accountId}`
        return yield* readAudits(sql`
          select at_ms, action, outcome, project_id, target, actor, address, request_id
          from audit where ${owned} and at_ms >= ${sinceMs}
          order by at_ms desc, audit_id desc limit ${limit}`)
      })

      const removeOld = Effect.gen(function* () {
        const untilMs = (yield* Clock.currentTimeMillis) - AuditLimits.auditKept.ms
        const removed = yield* Effect.orDie(sql`delete from audit where audit_id in (
          select audit_id from audit where at_ms <= ${untilMs} limit ${AuditLimits.auditSweepBatch.max}
        ) returning 1`)
        return removed.length
      }).pipe(Effect.withSpan("AuditStore.removeOld"))

      return { append, list, removeOld }
    })
  )

  static readonly layerMemory = Layer.effect(
    AuditStore,
    Effect.map(MemoryDatabase, ({ tables, ask }) => {
      const rows = auditTable.rowsIn(tables)
      return {
        append: (entry) =>
          Effect.flatMap(Clock.currentTimeMillis, (atMs) =>
            ask("AuditStore.append", () => {
              const project = projectTable.rowsIn(tables).get(entry.projectId ?? "")
              const accountId = entry.accountId ?? project?.accountId ?? null
              const { action, outcome, projectId, target, actor, address, requestId } = entry
              const told = { action, outcome, projectId, target, actor, address, requestId }
              rows.set(String(tables.next("audit.id")), { accountId, shown: { atMs, ...told } })
            })
          ),
        list: (owner, { sinceMs, limit }) =>
          ask("AuditStore.list", () =>
            [...rows.values()]
              .filter((row) =>
                "projectId" in owner
                  ? row.shown.projectId === owner.projectId
                  : row.accountId === owner.accountId
              )
              .map(({ shown }) => shown)
              .filter(({ atMs }) => atMs >= sinceMs)
              .reverse()
              .sort((one, other) => other.atMs - one.atMs)
              .slice(0, limit)
          ),
        removeOld: atNow({ ask })("AuditStore.removeOld", (nowMs) => {
          const old = [...rows]
            .filter(([, { shown }]) => shown.atMs <= nowMs - AuditLimits.auditKept.ms)
            .slice(0, AuditLimits.auditSweepBatch.max)
          for (const [id] of old) rows.delete(id)
          return old.length
        })
      }
    })
  )
}
