import { LoginLimits } from "@atrium/domain/logins/LoginLimits"
import { isInvitationId } from "@atrium/domain/shared/Ids"
import { InvitationsFull, InvitationUnknown } from "@atrium/domain/shared/Refusal"
import { serviceMessage } from "@atrium/wire/text/ServiceMessage"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

import { hashSecret, makeSecret, randomHex } from "../store/Secrets.ts"
import { AccountStore } from "./AccountStore.ts"
import { type IssuedLogin, LoginStore } from "./LoginStore.ts"

/** One invitation, until its week is over. Its code is in no row. */
export interface InvitationRow {
  readonly invitationId: string
  readonly name: string
  readonly createdAtMs: number
  readonly expiresAtMs: number
  /** The account that came of it. */
  readonly acceptedBy: string | null
}

const InvitationColumns = Schema.Struct({
  invitation_id: Schema.String,
  name: Schema.String,
  created_at_ms: Schema.BigInt,
  expires_at_ms: Schema.BigInt,
  accepted_by: Schema.NullOr(Schema.String)
})
const decodeInvitations = Schema.decodeUnknownEffect(Schema.Array(Schema.toType(InvitationColumns)))

/** Whom accounts invite; of a code only the SHA-256 is stored. A failing store is a defect. */
export class InvitationStore extends Context.Service<
  InvitationStore,
  {
    /** @param invited `name` = for whom it is, in the inviter's words; the answer alone holds the code */
    invite(invited: {
      readonly accountId: string
      readonly name: string
    }): Effect.Effect<InvitationRow & { readonly code: string }, InvitationsFull>
    /** Newest first. */
    list(accountId: string): Effect.Effect<ReadonlyArray<InvitationRow>>
    /** Takes back one that nobody has accepted. */
    withdraw(
      accountId: string,
      invitationId: string
    ): Effect.Effect<InvitationRow, InvitationUnknown>
    /** Makes the account and its first login: once, whoever else holds the code. */
    accept(invited: {
      readonly code: string
      readonly name: string
    }): Effect.Effect<IssuedLogin, InvitationUnknown>
  }
>()("@atrium/actors/store/InvitationStore") {
  static readonly layerSql = Layer.effect(
    InvitationStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const accounts = yield* AccountStore
      const logins = yield* LoginStore

      const { insert, list, withdraw } = invitationsOf(sql)

      const invite = Effect.fn("InvitationStore.invite")(function* (invited: {
        readonly accountId: string
        readonly name: string
      }) {
        const code = makeSecret("invitation")
        const [row] = yield* Effect.orDie(insert(invited, code))
        if (row !== undefined) return { ...invitationOf(row), code }
        const { max } = LoginLimits.invitations
        return yield* new InvitationsFull({
          message: serviceMessage(`invitations: ${max} of the account are not over yet`)
        })
      })

      const take = Effect.fnUntraced(function* ({ code, name }: { code: string; name: string }) {
        const nowMs = yield* Clock.currentTimeMillis
        // Of two who come with one code the second waits here, and finds it accepted.
        const open = yield* sql`select 1 from invitations where code_hash = ${hashSecret(code)}
          and accepted_by is null and expires_at_ms > ${nowMs} for update`
        if (open.length === 0) return null
        const { accountId } = yield* accounts.create(name)
        yield* sql`update invitations set accepted_by = ${accountId}
          where code_hash = ${hashSecret(code)}`
        return yield* logins.issue({ accountId, kind: "account", label: "invitation" })
      }, sql.withTransaction)

      const accept = Effect.fn("InvitationStore.accept")(function* (invited: {
        readonly code: string
        readonly name: string
      }) {
        const issued = yield* Effect.orDie(take(invited))
        if (issued === null) return yield* new InvitationUnknown()
        return issued
      })

      return { invite, list, withdraw, accept }
    })
  )
}

const invitationsOf = (sql: SqlClient.SqlClient) => {
  const insert = Effect.fnUntraced(function* (
    invited: { readonly accountId: string; readonly name: string },
    code: string
  ) {
    const { accountId, name } = invited
    const nowMs = yield* Clock.currentTimeMillis
    // Invitations of one account are made one after the other, so that all of them are counted.
    yield* sql`select 1 from accounts where account_id = ${accountId} for update`
    yield* sql`delete from invitations
      where account_id = ${accountId} and expires_at_ms <= ${nowMs}`
    return yield* Effect.flatMap(
      sql`insert into invitations
          (code_hash, invitation_id, account_id, name, created_at_ms, expires_at_ms)
        select ${hashSecret(code)}, ${`inv_${randomHex(16)}`}, ${accountId}, ${name},
          ${nowMs}::bigint, ${nowMs + LoginLimits.invitationLife.ms}::bigint
        where (select count(*) from invitations where account_id = ${accountId})
          < ${LoginLimits.invitations.max}
        returning *`,
      decodeInvitations
    )
  }, sql.withTransaction)

  const list = Effect.fn("InvitationStore.list")(function* (accountId: string) {
    const nowMs = yield* Clock.currentTimeMillis
    const rows = yield* Effect.orDie(
      Effect.flatMap(
        sql`select * from invitations
          where account_id = ${accountId} and expires_at_ms > ${nowMs}
          order by created_at_ms desc, invitation_id`,
        decodeInvitations
      )
    )
    return rows.map(invitationOf)
  })

  const withdraw = Effect.fn("InvitationStore.withdraw")(function* (
    accountId: string,
    invitationId: string
  ) {
    if (!isInvitationId(invitationId)) return yield* new InvitationUnknown()
    const nowMs = yield* Clock.currentTimeMillis
    const [row] = yield* Effect.orDie(
      Effect.flatMap(
        sql`delete from invitations
          where account_id = ${accountId} and invitation_id = ${invitationId}
            and accepted_by is null and expires_at_ms > ${nowMs}
          returning *`,
        decodeInvitations
      )
    )
    if (row === undefined) return yield* new InvitationUnknown()
    return invitationOf(row)
  })

  return { insert, list, withdraw }
}

const invitationOf = (row: typeof InvitationColumns.Type): InvitationRow => ({
  invitationId: row.invitation_id,
  name: row.name,
  createdAtMs: Number(row.created_at_ms),
  expiresAtMs: Number(row.expires_at_ms),
  acceptedBy: row.accepted_by
})
