import { Clock, Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"

import { hashSecret, randomHex } from "./Secrets.ts"

/** A developer account. */
export interface AccountRow {
  readonly accountId: string
  readonly name: string
}

interface AccountColumns {
  readonly account_id: string
  readonly name: string
}

/** Developer accounts and their login tokens. A failing store is a defect. */
export class AccountStore extends Context.Service<
  AccountStore,
  {
    /** Creates the owner account with this login token, unless there is an account already. */
    bootstrap(token: string): Effect.Effect<{ readonly created: boolean }>
    accountOf(token: string): Effect.Effect<Option.Option<AccountRow>>
    /** The account that the first start made. */
    readonly owner: Effect.Effect<Option.Option<AccountRow>>
  }
>()("@atrium/actors/store/AccountStore") {
  static readonly layerSql = Layer.effect(
    AccountStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const bootstrap = Effect.fn("AccountStore.bootstrap")(function* (token: string) {
        const nowMs = yield* Clock.currentTimeMillis
        const accountId = `acc_${randomHex(16)}`
        const created = yield* Effect.orDie(
          sql.withTransaction(
            Effect.gen(function* () {
              // Two services may see an empty database at once; only one of them makes the owner.
              yield* sql`lock table accounts in exclusive mode`
              const owners = yield* sql`select 1 from accounts limit 1`
              if (owners.length > 0) return false
              yield* sql`insert into accounts (account_id, name, created_at_ms)
                values (${accountId}, 'owner', ${nowMs})`
              yield* sql`insert into login_tokens
                  (token_hash, token_id, account_id, label, created_at_ms)
                values (${hashSecret(token)}, ${`tok_${randomHex(16)}`}, ${accountId},
                  'bootstrap', ${nowMs})`
              return true
            })
          )
        )
        return { created }
      })

      const accountOf = Effect.fn("AccountStore.accountOf")(function* (token: string) {
        const rows = yield* Effect.orDie(sql<AccountColumns>`
          select account_id, accounts.name from login_tokens join accounts using (account_id)
          where token_hash = ${hashSecret(token)}`)
        return firstOf(rows)
      })

      const owner = sql<AccountColumns>`
        select account_id, name from accounts order by created_at_ms limit 1`.pipe(
        Effect.orDie,
        Effect.map(firstOf)
      )

      return { bootstrap, accountOf, owner }
    })
  )
}

const firstOf = (rows: ReadonlyArray<AccountColumns>): Option.Option<AccountRow> =>
  Option.map(Option.fromNullishOr(rows[0]), (row) => ({
    accountId: row.account_id,
    name: row.name
  }))
