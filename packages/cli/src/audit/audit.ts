import type { AuditRow } from "@atrium/domain/audit/AuditApi"
import { AuditLimits } from "@atrium/domain/audit/AuditLimits"
import { isoOf } from "@atrium/domain/shared/IsoText"
import { Clock, Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"

import { openOwn } from "../projects/CommandProject.ts"
import { json, sinceFlag, target } from "../projects/ProjectParameters.ts"
import { openService } from "../service/OpenService.ts"
import { loginSettings } from "../service/ServiceSettings.ts"
import { ageText } from "../terminal/Ages.ts"
import { type Column, tableFor } from "../terminal/Table.ts"

const flags = {
  ...target,
  json,
  account: Flag.Boolean("account").pipe(
    Flag.withDescription("Of the whole account: all of its projects, deleted ones too"),
    Flag.withDefault(false)
  ),
  since: sinceFlag("How far back, such as 36h or 7d; default: as far as the rows go"),
  limit: Flag.Int("limit").pipe(
    Flag.withDescription(`Rows at most, up to ${AuditLimits.auditRows.max}`),
    Flag.withDefault(AuditLimits.auditRowsDefault.max)
  )
}

/** `atrium audit`: who did what, for the account that has the project. Source: C-233, D-41. */
export const audit = Command.make(
  "audit",
  flags,
  Effect.fn("atrium.audit")(function* (input) {
    const nowMs = yield* Clock.currentTimeMillis
    const since = Option.map(input.since, (ms) => isoOf(nowMs - ms))
    const query = {
      limit: String(input.limit),
      ...(Option.isSome(since) ? { since: since.value } : {})
    }
    const rows = yield* input.account ? ofAccount(input, query) : ofProject(input, query)
    if (input.json) return yield* Console.log(JSON.stringify(rows))
    if (rows.length === 0) return yield* Console.error("nothing was done")
    yield* Console.log(yield* tableFor(rows, columns(nowMs)))
  })
).pipe(
  Command.withExamples([
    { command: "atrium audit --since 7d" },
    { command: "atrium audit --account --json" }
  ])
)

interface Query {
  readonly limit: string
  readonly since?: string
}

const ofProject = Effect.fnUntraced(function* (input: Parameters<typeof openOwn>[0], query: Query) {
  const { ask, audit: log, project } = yield* openOwn(input)
  return yield* ask(log.project({ params: { id: project.id }, query }))
})

const ofAccount = Effect.fnUntraced(function* (
  input: { readonly url: Option.Option<string> },
  query: Query
) {
  const { ask, audit: log } = yield* openService(yield* loginSettings(input.url))
  return yield* ask(log.account({ query }))
})

const columns = (nowMs: number): ReadonlyArray<Column<AuditRow>> => [
  { title: "WHEN", cell: ({ at }) => ageText(at, nowMs, ""), weight: 9 },
  { title: "ACTION", cell: ({ action }) => action, weight: 8 },
  { title: "TARGET", cell: ({ target: of }) => of ?? "", weight: 7 },
  { title: "BY", cell: ({ actor }) => actor, weight: 6 },
  { title: "PROJECT", cell: ({ project }) => project ?? "", weight: 2 },
  { title: "OUTCOME", cell: ({ outcome }) => outcome, weight: 5 },
  { title: "ADDRESS", cell: ({ address }) => address, weight: 3 },
  { title: "REQUEST", cell: ({ requestId }) => requestId, weight: 4 }
]
