import { LoginLimits } from "@atrium/domain/logins/LoginLimits"
import { firstExpiryMs, type LoginKind, LoginKinds } from "@atrium/domain/logins/LoginToken"
import { Schema } from "effect"

import { byText, MemoryTable, type MemoryTables } from "../store/MemoryDatabase.ts"
import { readRows } from "../store/ReadRows.ts"
import { hashSecretHex, makeSecret, randomHex } from "../store/Secrets.ts"

const Account = Schema.Struct({
  accountId: Schema.String,
  name: Schema.String,
  createdAtMs: Schema.Int
})
export const readAccounts = readRows(Account)

/** A developer account. */
export type AccountRow = typeof Account.Type

const loginFields = {
  tokenId: Schema.String,
  label: Schema.String,
  kind: Schema.Literals(LoginKinds),
  createdAtMs: Schema.Int,
  lastUsedMs: Schema.NullOr(Schema.Int),
  /** `null` = valid until it is revoked. */
  expiresAtMs: Schema.NullOr(Schema.Int)
}
const Login = Schema.Struct(loginFields)
export const readLogins = readRows(Login)
export const readAccountLogins = readRows(
  Schema.Struct({
    ...loginFields,
    accountId: Schema.String,
    accountName: Schema.String,
    accountCreatedAtMs: Schema.Int
  })
)

/** One login of an account: a token or a session. Its secret is in no row. */
export type LoginRow = typeof Login.Type

/** The values that a login is made from. */
export interface NewLogin {
  readonly accountId: string
  readonly kind: LoginKind
  readonly label: string
}

/** A login, and whose it is. */
export interface AccountLogin {
  readonly account: AccountRow
  readonly login: LoginRow
}

/** A new login; its secret is nowhere else. */
export interface IssuedLogin extends AccountLogin {
  readonly secret: string
}

/** The secret of a new login of this kind. */
export const secretOf = (kind: LoginKind): string =>
  makeSecret(kind === "session" ? "session" : "loginToken")

interface StoredLogin {
  readonly accountId: string
  readonly login: LoginRow
}

/** The accounts, by their ids. */
export const accountTable = new MemoryTable<AccountRow>()

/** The logins of all accounts, by the SHA-256 of their secrets. */
export const loginTable = new MemoryTable<StoredLogin>()

export const isValid = ({ expiresAtMs }: LoginRow, nowMs: number): boolean =>
  expiresAtMs === null || expiresAtMs > nowMs

/** The logins of an account, with the keys of their rows. */
export const loginsOf = (tables: MemoryTables, accountId: string) =>
  [...loginTable.rowsIn(tables)].flatMap(([hash, row]) =>
    row.accountId === accountId ? [{ hash, login: row.login }] : []
  )

export const insertAccount = (tables: MemoryTables, name: string, createdAtMs: number) => {
  const account = { accountId: `acc_${randomHex(16)}`, name, createdAtMs }
  accountTable.rowsIn(tables).set(account.accountId, account)
  return account
}

export const insertLogin = (
  tables: MemoryTables,
  { accountId, kind, label }: NewLogin,
  { secret, nowMs }: { readonly secret: string; readonly nowMs: number }
): void => {
  const login = {
    tokenId: `tok_${randomHex(16)}`,
    label,
    kind,
    createdAtMs: nowMs,
    lastUsedMs: null,
    expiresAtMs: firstExpiryMs(kind, nowMs)
  }
  loginTable.rowsIn(tables).set(hashSecretHex(secret), { accountId, login })
}

export const findLogin = (
  tables: MemoryTables,
  secret: string,
  nowMs: number
): AccountLogin | null => {
  const row = loginTable.rowsIn(tables).get(hashSecretHex(secret))
  const account = accountTable.rowsIn(tables).get(row?.accountId ?? "")
  if (row === undefined || account === undefined || !isValid(row.login, nowMs)) return null
  return { account, login: row.login }
}

/** Makes a login; past LoginLimits.logins the one that was used longest ago ends. */
export const issueLogin = (tables: MemoryTables, login: NewLogin, nowMs: number): IssuedLogin => {
  const rows = loginTable.rowsIn(tables)
  const its = loginsOf(tables, login.accountId)
  for (const { hash, login: one } of its) if (!isValid(one, nowMs)) rows.delete(hash)
  const usedMs = (one: LoginRow): number => one.lastUsedMs ?? one.createdAtMs
  const ending = its
    .filter(({ login: one }) => one.expiresAtMs !== null && isValid(one, nowMs))
    .sort(
      ({ login: one }, { login: other }) =>
        usedMs(other) - usedMs(one) || byText(one.tokenId, other.tokenId)
    )
  for (const { hash } of ending.slice(LoginLimits.logins.max - 1)) rows.delete(hash)
  const secret = secretOf(login.kind)
  insertLogin(tables, login, { secret, nowMs })
  const found = findLogin(tables, secret, nowMs)
  if (found === null) throw new Error(`there is no account ${login.accountId}`)
  return { ...found, secret }
}
