import { AuditStore, type StoredAudit } from "@atrium/actors/audit/AuditStore"
import { AuditApi, type AuditRow } from "@atrium/domain/audit/AuditApi"
import { AuditLimits } from "@atrium/domain/audit/AuditLimits"
import { apiOf } from "@atrium/domain/http/Api"
import { Account, CallersProject } from "@atrium/domain/http/Credential"
import { isoOf } from "@atrium/domain/shared/IsoText"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

interface Page {
  readonly since?: string
  readonly limit?: string
}

const pageOf = ({ since, limit }: Page) => ({
  sinceMs: since === undefined ? 0 : Date.parse(since),
  limit: limit === undefined ? AuditLimits.auditRowsDefault.max : Number(limit)
})

const rowOf = ({ atMs, projectId, ...row }: StoredAudit): AuditRow => ({
  at: isoOf(atMs),
  project: projectId,
  ...row
})

/** The audit log, of a project and of an account. */
export const AuditHandlers = HttpApiBuilder.group(
  apiOf(AuditApi),
  "audit",
  Effect.fnUntraced(function* (handlers) {
    const store = yield* AuditStore
    return handlers.handleAll({
      project: Effect.fn("audit.project")(function* ({ query }) {
        const { projectId } = yield* CallersProject
        return (yield* store.list({ projectId }, pageOf(query))).map(rowOf)
      }),
      account: Effect.fn("audit.account")(function* ({ query }) {
        const { accountId } = yield* Account
        return (yield* store.list({ accountId }, pageOf(query))).map(rowOf)
      })
    })
  })
)
