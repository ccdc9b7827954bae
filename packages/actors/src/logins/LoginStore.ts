import { LoginLimits } from "@atrium/domain/logins/LoginLimits"
import { expiryAfterUseMs, firstExpiryMs, isUseWritten } from "@atrium/domain/logins/LoginToken"
import { isTokenId } from "@atrium/domain/shared/Ids"
import { TokenNotFound } from "@atrium/domain/shared/Refusal"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"

import { atNow, byText, MemoryDatabase } from "../store/MemoryDatabase.ts"
import { hashSecret, randomHex } from "../store/Secrets.ts"
import {
  type AccountLogin,
  findLogin,
  type IssuedLogin,
  issueLogin,
  isValid,
  type LoginRow,
  loginsOf,
  loginTable,
  type NewLogin,
  readAccountLogins,
  readLogins,
  secretOf
} from "./LoginRows.ts"

/** Tokens and sessions of developers, known by their SHA-256 only. A failing store is a defect. */
export class LoginStore extends Context.Service<
  LoginStore,
  {
    /** Makes a login; past LoginLimits.logins the one that was used longest ago ends. */
    issue(login: NewLogin): Effect.Effect<IssuedLogin>
    /** The login of this secret, if it has neither ended nor been revoked. */
    find(secret: string): Effect.Effect<Option.Option<AccountLogin>>
    /** Notes a use, at most once a minute; it moves the end of a CLI token. */
    used(login: LoginRow): Effect.Effect<void>
    /** The logins that are valid now, newest first. */
    list(accountId: string): Effect.Effect<ReadonlyArray<LoginRow>>
    revoke(accountId: string, tokenId: string): Effect.Effect<LoginRow, TokenNotFound>
  }
>()("@atrium/actors/logins/LoginStore") {
  static readonly layerSql = Layer.effect(
    LoginStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const { find, list } = reads(sql)
      const { insert, used, revoke } = writes(sql)
      const issue = Effect.fn("LoginStore.issue")(function* (login: NewLogin) {
        const secret = secretOf(login.kind)
        yield* insert(login, secret)
        return { ...Option.getOrThrow(yield* find(secret)), secret }
      })
      return { issue, find, used, list, revoke }
    })
  )

  static readonly layerMemory = Layer.effect(
    LoginStore,
    Effect.map(MemoryDatabase, (database) => {
      const { tables } = database
      const rows = loginTable.rowsIn(tables)
      const at = atNow(database)
      const remove = (accountId: string, tokenId: string, nowMs: number): LoginRow | null => {
        const found = loginsOf(tables, accountId).find(({ login }) => login.tokenId === tokenId)
        if (found === undefined || !isValid(found.login, nowMs)) return null
        rows.delete(found.hash)
        return found.login
      }
      return {
        issue: (login) => at("LoginStore.issue", (nowMs) => issueLogin(tables, login, nowMs)),
        find: (secret) =>
          at("LoginStore.find", (nowMs) => Option.fromNullishOr(findLogin(tables, secret, nowMs))),
        used: (login) =>
          at("LoginStore.used", (nowMs) => {
            if (!isUseWritten(login.lastUsedMs, nowMs)) return
            const [hash, row] =
              [...rows].find(([, one]) => one.login.tokenId === login.tokenId) ?? []
            if (hash === undefined || row === undefined) return
            const expiresAtMs = expiryAfterUseMs(login, nowMs)
            rows.set(hash, { ...row, login: { ...row.login, lastUsedMs: nowMs, expiresAtMs } })
          }),
        list: (accountId) =>
          at("LoginStore.list", (nowMs) =>
            loginsOf(tables, accountId)
              .map(({ login }) => login)
              .filter((login) => isValid(login, nowMs))
              .sort(
                (one, other) =>
                  other.createdAtMs - one.createdAtMs || byText(one.tokenId, other.tokenId)
              )
          ),
        revoke: (accountId, tokenId) =>
          Effect.flatMap(
            at("LoginStore.revoke", (nowMs) => remove(accountId, tokenId, nowMs)),
            (login) => (login === null ? new TokenNotFound() : Effect.succeed(login))
          )
      }
    })
  )
}

const reads = (sql: SqlClient.SqlClient) => {
  const find = Effect.fn("LoginStore.find")(function* (secret: string) {
    const nowMs = yield* Clock.currentTimeMillis
    const [found] = yield* readAccountLogins(sql`
      select token_id, label, kind, login_tokens.created_at_ms, last_used_ms,
        expires_at_ms, account_id, accounts.name account_name,
        accounts.created_at_ms account_created_at_ms
      from login_tokens join accounts using (account_id)
      where token_hash = ${hashSecret(secret)}
        and (expires_at_ms is null or expires_at_ms > ${nowMs})`)
    if (found === undefined) return Option.none()
    const { accountId, accountName: name, accountCreatedAtMs: createdAtMs, ...login } = found
    return Option.some({ account: { accountId, name, createdAtMs }, login })
  })

  const list = Effect.fn("LoginStore.list")(function* (accountId: string) {
    const nowMs = yield* Clock.currentTimeMillis
    return yield* readLogins(sql`
      select * from login_tokens where account_id = ${accountId}
        and (expires_at_ms is null or expires_at_ms > ${nowMs})
      order by created_at_ms desc, token_id`)
  })

  return { find, list }
}

const writes = (sql: SqlClient.SqlClient) => {
  const makeRoom = Effect.fnUntraced(function* (accountId: string, nowMs: number) {
    // Logins of one account are made one after the other, so that all of them are counted.
    yield* sql`select 1 from accounts where account_id = ${accountId} for update`
    yield* sql`delete from login_tokens
      where account_id = ${accountId} and expires_at_ms <= ${nowMs}`
    yield* sql`delete from login_tokens where token_id in (
      select token_id from login_tokens
      where account_id = ${accountId} and expires_at_ms is not null
      order by coalesce(last_used_ms, created_at_ms) desc, token_id
      offset ${LoginLimits.logins.max - 1})`
  })

  const insert = Effect.fnUntraced(function* (login: NewLogin, secret: string) {
    const { accountId, kind, label } = login
    const nowMs = yield* Clock.currentTimeMillis
    yield* Effect.orDie(
      sql.withTransaction(
        Effect.andThen(
          makeRoom(accountId, nowMs),
          sql`insert into login_tokens
              (token_hash, token_id, account_id, label, kind, created_at_ms, expires_at_ms)
            values (${hashSecret(secret)}, ${`tok_${randomHex(16)}`}, ${accountId}, ${label},
              ${kind}, ${nowMs}, ${firstExpiryMs(kind, nowMs)})`
        )
      )
    )
  })

  const used = Effect.fn("LoginStore.used")(function* (login: LoginRow) {
    const nowMs = yield* Clock.currentTimeMillis
    if (!isUseWritten(login.lastUsedMs, nowMs)) return
    yield* Effect.orDie(sql`update login_tokens
      set last_used_ms = ${nowMs}, expires_at_ms = ${expiryAfterUseMs(login, nowMs)}
      where token_id = ${login.tokenId}`)
  })

  const revoke = Effect.fn("LoginStore.revoke")(function* (accountId: string, tokenId: string) {
    if (!isTokenId(tokenId)) return yield* new TokenNotFound()
    const nowMs = yield* Clock.currentTimeMillis
    const [row] = yield* readLogins(sql`
      delete from login_tokens where account_id = ${accountId} and token_id = ${tokenId}
        and (expires_at_ms is null or expires_at_ms > ${nowMs})
      returning *`)
    return row ?? (yield* new TokenNotFound())
  })

  return { insert, used, revoke }
}
