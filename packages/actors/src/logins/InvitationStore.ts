import { LoginLimits } from "@atrium/domain/logins/LoginLimits"
import { isInvitationId } from "@atrium/domain/shared/Ids"
import { InvitationsFull, InvitationUnknown } from "@atrium/domain/shared/Refusal"
import { serviceMessage } from "@atrium/wire/text/ServiceMessage"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

import { atNow, byText, MemoryDatabase, MemoryTable } from "../store/MemoryDatabase.ts"
import { readRows } from "../store/ReadRows.ts"
import { hashSecret, hashSecretHex, makeSecret, randomHex } from "../store/Secrets.ts"
import { AccountStore } from "./AccountStore.ts"
import { insertAccount, type IssuedLogin, issueLogin } from "./LoginRows.ts"
import { LoginStore } from "./LoginStore.ts"

const Invitation = Schema.Struct({
  invitationId: Schema.String,
  name: Schema.String,
  createdAtMs: Schema.Int,
  expiresAtMs: Schema.Int,
  /** The account that came of it. */
  acceptedBy: Schema.NullOr(Schema.String)
})
const readInvitations = readRows(Invitation)

/** One invitation, until its week is over. Its code is in no row. */
export type InvitationRow = typeof Invitation.Type

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
    /** Makes the account and its first login: once for each code. */
    accept(invited: {
      readonly code: string
      readonly name: string
    }): Effect.Effect<IssuedLogin, InvitationUnknown>
  }
>()("@atrium/actors/logins/InvitationStore") {
  static readonly layerSql = Layer.effect(
    InvitationStore,
    Effect.gen(function* () {
      const rows = { accounts: yield* AccountStore, logins: yield* LoginStore }
      return invitations(sqlInvitations(yield* SqlClient.SqlClient, rows))
    })
  )

  static readonly layerMemory = Layer.effect(
    InvitationStore,
    Effect.map(MemoryDatabase, (database) => invitations(memoryInvitations(database)))
  )
}

/** The rows of invitations; each method is one transaction, and `null` = there was none to act on. */
interface Invitations {
  insert(
    invited: { readonly accountId: string; readonly name: string },
    code: string
  ): Effect.Effect<InvitationRow | null>
  list(accountId: string): Effect.Effect<ReadonlyArray<InvitationRow>>
  withdraw(accountId: string, invitationId: string): Effect.Effect<InvitationRow | null>
  accept(invited: {
    readonly code: string
    readonly name: string
  }): Effect.Effect<IssuedLogin | null>
}

const invitations = (rows: Invitations): InvitationStore["Service"] => {
  const known = <A>(found: Effect.Effect<A | null>): Effect.Effect<A, InvitationUnknown> =>
    Effect.flatMap(found, (row) => (row === null ? new InvitationUnknown() : Effect.succeed(row)))
  return {
    invite: Effect.fn("InvitationStore.invite")(function* (invited: {
      readonly accountId: string
      readonly name: string
    }) {
      const code = makeSecret("invitation")
      const row = yield* rows.insert(invited, code)
      if (row !== null) return { ...row, code }
      const { max } = LoginLimits.invitations
      return yield* new InvitationsFull({
        message: serviceMessage(`invitations: ${max} of the account are not over yet`)
      })
    }),
    list: rows.list,
    withdraw: (accountId, invitationId) =>
      isInvitationId(invitationId)
        ? known(rows.withdraw(accountId, invitationId))
        : Effect.fail(new InvitationUnknown()),
    accept: (invited) => known(rows.accept(invited))
  }
}

/** The stores in which an acceptance makes an account and its login. */
interface Accounts {
  readonly accounts: AccountStore["Service"]
  readonly logins: LoginStore["Service"]
}

const sqlInvitations = (sql: SqlClient.SqlClient, made: Accounts): Invitations => {
  const take = accepting(sql, made)

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
    const [row] = yield* readInvitations(sql`
      insert into invitations
        (code_hash, invitation_id, account_id, name, created_at_ms, expires_at_ms)
      select ${hashSecret(code)}, ${`inv_${randomHex(16)}`}, ${accountId}, ${name},
        ${nowMs}::bigint, ${nowMs + LoginLimits.invitationLife.ms}::bigint
      where (select count(*) from invitations where account_id = ${accountId})
        < ${LoginLimits.invitations.max}
      returning *`)
    return row ?? null
  }, sql.withTransaction)

  const list = Effect.fn("InvitationStore.list")(function* (accountId: string) {
    const nowMs = yield* Clock.currentTimeMillis
    return yield* readInvitations(sql`
      select * from invitations
      where account_id = ${accountId} and expires_at_ms > ${nowMs}
      order by created_at_ms desc, invitation_id`)
  })

  const withdraw = Effect.fn("InvitationStore.withdraw")(function* (
    accountId: string,
    invitationId: string
  ) {
    const nowMs = yield* Clock.currentTimeMillis
    const [row] = yield* readInvitations(sql`
      delete from invitations
      where account_id = ${accountId} and invitation_id = ${invitationId}
        and accepted_by is null and expires_at_ms > ${nowMs}
      returning *`)
    return row ?? null
  })

  return {
    insert: (invited, code) => Effect.orDie(insert(invited, code)),
    list,
    withdraw,
    accept: (invited) => Effect.orDie(take(invited))
  }
}

/** Makes the account of an invitation and its first login, in one transaction. */
const accepting = (sql: SqlClient.SqlClient, { accounts, logins }: Accounts) =>
  Effect.fn("InvitationStore.accept")(function* (invited: {
    readonly code: string
    readonly name: string
  }) {
    const nowMs = yield* Clock.currentTimeMillis
    const hash = hashSecret(invited.code)
    // Of two who come with one code the second waits here, and finds it accepted.
    const open = yield* sql`select 1 from invitations where code_hash = ${hash}
      and accepted_by is null and expires_at_ms > ${nowMs} for update`
    if (open.length === 0) return null
    const { accountId } = yield* accounts.create(invited.name)
    yield* sql`update invitations set accepted_by = ${accountId} where code_hash = ${hash}`
    return yield* logins.issue({ accountId, kind: "account", label: "invitation" })
  }, sql.withTransaction)

interface MemoryInvitation {
  readonly accountId: string
  readonly shown: InvitationRow
}

/** The invitations of all accounts, by the SHA-256 of their codes. */
const invitationTable = new MemoryTable<MemoryInvitation>()

const memoryInvitations = (database: MemoryDatabase["Service"]): Invitations => {
  const { tables } = database
  const at = atNow(database)
  const rows = invitationTable.rowsIn(tables)
  const ofAccount = (accountId: string) =>
    [...rows].filter(([, row]) => row.accountId === accountId)
  const isOpen = ({ shown }: MemoryInvitation, nowMs: number): boolean =>
    shown.acceptedBy === null && shown.expiresAtMs > nowMs
  return {
    insert: ({ accountId, name }, code) =>
      at("InvitationStore.invite", (nowMs) => {
        for (const [hash, { shown }] of ofAccount(accountId)) {
          if (shown.expiresAtMs <= nowMs) rows.delete(hash)
        }
        if (ofAccount(accountId).length >= LoginLimits.invitations.max) return null
        const shown = {
          invitationId: `inv_${randomHex(16)}`,
          name,
          createdAtMs: nowMs,
          expiresAtMs: nowMs + LoginLimits.invitationLife.ms,
          acceptedBy: null
        }
        rows.set(hashSecretHex(code), { accountId, shown })
        return shown
      }),
    list: (accountId) =>
      at("InvitationStore.list", (nowMs) =>
        ofAccount(accountId)
          .map(([, { shown }]) => shown)
          .filter(({ expiresAtMs }) => expiresAtMs > nowMs)
          .sort(
            (one, other) =>
              other.createdAtMs - one.createdAtMs || byText(one.invitationId, other.invitationId)
          )
      ),
    withdraw: (accountId, invitationId) =>
      at("InvitationStore.withdraw", (nowMs) => {
        const found = ofAccount(accountId).find(
          ([, { shown }]) => shown.invitationId === invitationId
        )
        if (found === undefined || !isOpen(found[1], nowMs)) return null
        rows.delete(found[0])
        return found[1].shown
      }),
    accept: ({ code, name }) =>
      at("InvitationStore.accept", (nowMs) => {
        const hash = hashSecretHex(code)
        const row = rows.get(hash)
        if (row === undefined || !isOpen(row, nowMs)) return null
        const { accountId } = insertAccount(tables, name, nowMs)
        rows.set(hash, { ...row, shown: { ...row.shown, acceptedBy: accountId } })
        return issueLogin(tables, { accountId, kind: "account", label: "invitation" }, nowMs)
      })
  }
}
