import { Clock, Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"

import { atNow, MemoryDatabase } from "../store/MemoryDatabase.ts"
import { hashSecret, randomHex } from "../store/Secrets.ts"
import {
  type AccountRow,
  accountTable,
  insertAccount,
  insertLogin,
  readAccounts
} from "./LoginRows.ts"

/** Developer accounts. A failing store is a defect. */
export class AccountStore extends Context.Service<
  AccountStore,
  {
    /** Creates the owner account with this login token, unless there is an account already. */
    bootstrap(token: string): Effect.Effect<{ readonly created: boolean }>
    /** An account without a login: its caller makes the first one in the same transaction. */
    create(name: string): Effect.Effect<{ readonly accountId: string }>
    /** The account that the first start made. */
    readonly owner: Effect.Effect<Option.Option<AccountRow>>
  }
>()("@atrium/actors/logins/AccountStore") {
  static readonly layerSql = Layer.effect(
    AccountStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const create = Effect.fn("AccountStore.create")(function* (name: string) {
        const accountId = `acc_${randomHex(16)}`
        const nowMs = yield* Clock.currentTimeMillis
        yield* Effect.orDie(sql`insert into accounts (account_id, name, created_at_ms)
          values (${accountId}, ${name}, ${nowMs})`)
        return { accountId }
      })

      const bootstrap = Effect.fn("AccountStore.bootstrap")(function* (token: string) {
        const nowMs = yield* Clock.currentTimeMillis
        const created = yield* Effect.orDie(
          sql.withTransaction(
            Effect.gen(function* () {
              // Two services may see an empty database at once; only one of them makes the owner.
              yield* sql`lock table accounts in exclusive mode`
              const owners = yield* sql`select 1 from accounts limit 1`
              if (owners.length > 0) return false
              const { accountId } = yield* create("owner")
              yield* sql`insert into login_tokens
                  (token_hash, token_id, account_id, label, kind, created_at_ms)
                values (${hashSecret(token)}, ${`tok_${randomHex(16)}`}, ${accountId},
                  'bootstrap', 'account', ${nowMs})`
              return true
            })
          )
        )
        return { created }
      })

      const owner = Effect.map(
        readAccounts(sql`select * from accounts order by created_at_ms limit 1`),
        ([first]) => Option.fromNullishOr(first)
      )

      return { bootstrap, create, owner }
    })
  )

  static readonly layerMemory = Layer.effect(
    AccountStore,
    Effect.map(MemoryDatabase, (database) => {
      const { tables, ask } = database
      const accounts = accountTable.rowsIn(tables)
      const at = atNow(database)
      return {
        bootstrap: (token) =>
          at("AccountStore.bootstrap", (nowMs) => {
            if (accounts.size > 0) return { created: false }
            const { accountId } = insertAccount(tables, "owner", nowMs)
            const login = { accountId, kind: "account", label: "bootstrap" } as const
            insertLogin(tables, login, { secret: token, nowMs })
            return { created: true }
          }),
        create: (name) =>
          at("AccountStore.create", (nowMs) => {
            const { accountId } = insertAccount(tables, name, nowMs)
            return { accountId }
          }),
        owner: ask("AccountStore.owner", () => {
          const [first] = [...accounts.values()].sort(
            (one, other) => one.createdAtMs - other.createdAtMs
          )
          return Option.fromNullishOr(first)
        })
      }
    })
  )
}
