import { ProjectId } from "@atrium/domain/Ids"
import { Limits } from "@atrium/domain/Limits"
import { SecretExists } from "@atrium/domain/Refusal"
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"

import { hashSecret, randomHex, Secrets } from "./Secrets.ts"

/** One project, as its row holds it. */
export interface ProjectRow {
  readonly projectId: ProjectId
  readonly accountId: string
  readonly name: string
  readonly plan: "free" | "card"
  readonly createdAtMs: number
  readonly currentVersion: number | null
}

/** A developer account. */
export interface AccountRow {
  readonly accountId: string
  readonly name: string
}

/** A JWT secret as it may be shown once. */
export interface MintedSecret {
  readonly secret: string
  readonly kid: number
  readonly createdAtMs: number
}

const ProjectColumns = Schema.Struct({
  project_id: ProjectId,
  account_id: Schema.String,
  name: Schema.String,
  plan: Schema.Literals(["free", "card"]),
  created_at_ms: Schema.BigInt,
  current_version: Schema.NullOr(Schema.Int)
})
const decodeProjects = Schema.decodeUnknownEffect(Schema.Array(Schema.toType(ProjectColumns)))

/** Accounts, login tokens, projects and their JWT secrets. A failing store is a defect. */
export class ProjectStore extends Context.Service<
  ProjectStore,
  {
    /** Creates the owner account with this login token, unless there is an account already. */
    bootstrap(token: string): Effect.Effect<{ readonly created: boolean }>
    accountOf(token: string): Effect.Effect<Option.Option<AccountRow>>
    /** The account that the first start made. */
    readonly owner: Effect.Effect<Option.Option<AccountRow>>
    create(accountId: string, name: string): Effect.Effect<ProjectRow>
    /** The project `dev` of a service on a developer's machine, made if it is not there. */
    ensureDev(accountId: string): Effect.Effect<ProjectRow>
    find(projectId: string): Effect.Effect<Option.Option<ProjectRow>>
    list(accountId: string): Effect.Effect<ReadonlyArray<ProjectRow>>
    /** Mints the next JWT secret; the one before stays valid for 24 hours. Source: D-25. */
    mintJwtSecret(projectId: ProjectId, rotate: boolean): Effect.Effect<MintedSecret, SecretExists>
    /** Ids of the secrets that verify join credentials now; none = identity tokens join. */
    validKids(projectId: ProjectId): Effect.Effect<ReadonlyArray<number>>
  }
>()("@atrium/actors/store/ProjectStore") {
  static readonly layerSql = Layer.effect(
    ProjectStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const secrets = yield* Secrets

      const bootstrap = Effect.fn("ProjectStore.bootstrap")(function* (token: string) {
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
              yield* sql`insert into login_tokens (token_hash, account_id, label, created_at_ms)
            values (${hashSecret(token)}, ${accountId}, 'bootstrap', ${nowMs})`
              return true
            })
          )
        )
        return { created }
      })

      const accountOf = Effect.fn("ProjectStore.accountOf")(function* (token: string) {
        const rows = yield* Effect.orDie(sql<{
          readonly account_id: string
          readonly name: string
        }>`
          select account_id, accounts.name from login_tokens join accounts using (account_id)
          where token_hash = ${hashSecret(token)}`)
        return Option.map(Option.fromNullishOr(rows[0]), (row) => ({
          accountId: row.account_id,
          name: row.name
        }))
      })

      const owner = sql<{ readonly account_id: string; readonly name: string }>`
        select account_id, name from accounts order by created_at_ms limit 1`.pipe(
        Effect.orDie,
        Effect.map((rows) =>
          Option.map(Option.fromNullishOr(rows[0]), (row) => ({
            accountId: row.account_id,
            name: row.name
          }))
        )
      )

      const insert = Effect.fnUntraced(function* (
        projectId: ProjectId,
        accountId: string,
        name: string
      ) {
        const createdAtMs = yield* Clock.currentTimeMillis
        yield* Effect.orDie(sql`
          insert into projects (project_id, account_id, name, plan, created_at_ms)
          values (${projectId}, ${accountId}, ${name}, 'card', ${createdAtMs})`)
        return {
          projectId,
          accountId,
          name,
          plan: "card" as const,
          createdAtMs,
          currentVersion: null
        }
      })

      const create = Effect.fn("ProjectStore.create")((accountId: string, name: string) =>
        insert(ProjectId.make(`p_${randomHex(16)}`), accountId, name)
      )

      const ensureDev = Effect.fn("ProjectStore.ensureDev")(function* (accountId: string) {
        const createdAtMs = yield* Clock.currentTimeMillis
        yield* Effect.orDie(sql`
          insert into projects (project_id, account_id, name, plan, created_at_ms)
          values ('dev', ${accountId}, 'dev', 'card', ${createdAtMs})
          on conflict (project_id) do nothing`)
        return Option.getOrThrow(yield* find("dev"))
      })

      const find = Effect.fn("ProjectStore.find")(function* (projectId: string) {
        const rows = yield* Effect.orDie(
          Effect.flatMap(
            sql`select * from projects where project_id = ${projectId}`,
            decodeProjects
          )
        )
        return Option.map(Option.fromNullishOr(rows[0]), projectOf)
      })

      const list = Effect.fn("ProjectStore.list")(function* (accountId: string) {
        const rows = yield* Effect.orDie(
          Effect.flatMap(
            sql`select * from projects where account_id = ${accountId}
                order by created_at_ms desc, project_id`,
            decodeProjects
          )
        )
        return rows.map(projectOf)
      })

      const mintJwtSecret = Effect.fn("ProjectStore.mintJwtSecret")(function* (
        projectId: ProjectId,
        rotate: boolean
      ) {
        const nowMs = yield* Clock.currentTimeMillis
        const mint = Effect.gen(function* () {
          yield* sql`select 1 from projects where project_id = ${projectId} for update`
          const rows = yield* sql<{ readonly kid: number }>`
            select kid from jwt_secrets where project_id = ${projectId} order by kid desc limit 1`
          const last = rows[0]?.kid ?? 0
          if (last > 0 && !rotate) {
            return yield* new SecretExists({ message: "jwt-secret: one exists; ask for rotate" })
          }
          yield* sql`update jwt_secrets set retires_at_ms = ${nowMs + Limits.jwtSecretOverlap.ms}
            where project_id = ${projectId} and retires_at_ms is null`
          yield* sql`insert into jwt_secrets (project_id, kid, created_at_ms)
            values (${projectId}, ${last + 1}, ${nowMs})`
          return last + 1
        })
        const kid = yield* sql.withTransaction(mint).pipe(Effect.catchTag("SqlError", Effect.die))
        return { secret: secrets.joinSecret(projectId, kid), kid, createdAtMs: nowMs }
      })

      const validKids = Effect.fn("ProjectStore.validKids")(function* (projectId: ProjectId) {
        const nowMs = yield* Clock.currentTimeMillis
        const rows = yield* Effect.orDie(sql<{ readonly kid: number }>`
          select kid from jwt_secrets where project_id = ${projectId}
            and (retires_at_ms is null or retires_at_ms > ${nowMs}) order by kid desc`)
        return rows.map((row) => row.kid)
      })

      return {
        bootstrap,
        accountOf,
        owner,
        create,
        ensureDev,
        find,
        list,
        mintJwtSecret,
        validKids
      }
    })
  )
}

const projectOf = (row: typeof ProjectColumns.Type): ProjectRow => ({
  projectId: row.project_id,
  accountId: row.account_id,
  name: row.name,
  plan: row.plan,
  createdAtMs: Number(row.created_at_ms),
  currentVersion: row.current_version
})
