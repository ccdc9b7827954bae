import { IdentityLimits } from "@atrium/domain/identity/IdentityLimits"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { NotFound, SecretExists } from "@atrium/domain/shared/Refusal"
import { StoreLimits } from "@atrium/domain/store/StoreLimits"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

import { projectIn } from "../projects/ProjectStore.ts"
import { atNow, MemoryDatabase, MemoryTable, type MemoryTables } from "../store/MemoryDatabase.ts"
import { Secrets } from "../store/Secrets.ts"
import { SharedReads } from "../store/SharedReads.ts"
import { answeredWithin } from "../store/StoreAnswer.ts"

/** A JWT secret as it may be shown once. */
export interface MintedSecret {
  readonly secret: string
  readonly kid: number
  readonly createdAtMs: number
}

/** The JWT secrets of a project that are valid at one moment. */
export interface ValidSecrets {
  /** Their ids, newest first; none = identity tokens join. */
  readonly kids: ReadonlyArray<number>
  /** Unix milliseconds at which the first of them retires; `null` = none of them does yet. */
  readonly untilMs: number | null
}

/** Which JWT secrets a project has; the secrets themselves are derived. A failing store is a defect. */
export class JwtSecretStore extends Context.Service<
  JwtSecretStore,
  {
    /** Mints the next JWT secret; the one before stays valid for 24 hours. Source: D-25. */
    mint(
      projectId: ProjectId,
      rotate: boolean
    ): Effect.Effect<MintedSecret, SecretExists | NotFound>
    /**
     * Ends every secret of the project at once: identity tokens join again. A secret that is minted
     * later is another one. Source: C-222.
     *
     * @returns the ids of the secrets that were valid until now, newest first
     */
    remove(projectId: ProjectId): Effect.Effect<ReadonlyArray<number>>
    /** The secrets that verify join credentials now; `null` = there is no such project, and nothing joins. */
    valid(projectId: ProjectId): Effect.Effect<ValidSecrets | null>
    /** The ids of the same alone. */
    validKids(projectId: ProjectId): Effect.Effect<ReadonlyArray<number> | null>
  }
>()("@atrium/actors/identity/JwtSecretStore") {
  static readonly layerSql = Layer.effect(
    JwtSecretStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const secrets = yield* Secrets

      const mint = Effect.fn("JwtSecretStore.mint")(function* (
        projectId: ProjectId,
        rotate: boolean
      ) {
        const nowMs = yield* Clock.currentTimeMillis
        const write = Effect.gen(function* () {
          const there = yield* sql`select 1 from projects
            where project_id = ${projectId} and deleted_at_ms is null for update`
          if (there.length === 0) return yield* new NotFound()
          const rows = yield* sql<{ readonly kid: number; readonly current: boolean }>`
            select kid, retires_at_ms is null as current from jwt_secrets
            where project_id = ${projectId} order by kid desc limit 1`
          const last = rows[0]?.kid ?? 0
          if (rows[0]?.current === true && !rotate) {
            return yield* secretExists()
          }
          yield* sql`update jwt_secrets set retires_at_ms = ${nowMs + IdentityLimits.jwtSecretOverlap.ms}
            where project_id = ${projectId} and retires_at_ms is null`
          yield* sql`insert into jwt_secrets (project_id, kid, created_at_ms)
            values (${projectId}, ${last + 1}, ${nowMs})`
          return last + 1
        })
        const kid = yield* sql.withTransaction(write).pipe(Effect.catchTag("SqlError", Effect.die))
        return { secret: secrets.joinSecret(projectId, kid), kid, createdAtMs: nowMs }
      })

      const remove = Effect.fn("JwtSecretStore.remove")(function* (projectId: ProjectId) {
        const nowMs = yield* Clock.currentTimeMillis
        // The rows stay, so that no number is given again: the old secret would be valid with it.
        // They retire at 0, so that a runner whose clock is behind does not take them either.
        const rows = yield* Effect.orDie(sql<{ readonly kid: number }>`
          update jwt_secrets set retires_at_ms = 0
          where project_id = ${projectId} and (retires_at_ms is null or retires_at_ms > ${nowMs})
          returning kid`)
        return rows.map(({ kid }) => kid).toSorted((a, b) => b - a)
      })

      const readValid = Effect.fn("JwtSecretStore.valid")(function* (projectId: string) {
        const nowMs = yield* Clock.currentTimeMillis
        const rows = yield* Effect.orDie(sql<SecretRow>`
          select kid, retires_at_ms::float8 as "untilMs" from projects left join jwt_secrets
            on jwt_secrets.project_id = projects.project_id
              and (retires_at_ms is null or retires_at_ms > ${nowMs})
          where projects.project_id = ${projectId} and deleted_at_ms is null`)
        return rows.length === 0 ? null : validSecrets(rows)
      })

      // Every join asks; after a restart all of them at once.
      const reads = new SharedReads<ValidSecrets | null>({
        // A connection that never answers must not hold up those who ask later.
        load: (projectId) =>
          Effect.orDie(answeredWithin(StoreLimits.storeAnswer.ms)(readValid(projectId))),
        run: Effect.runForkWith(yield* Effect.context<never>())
      })

      return withKids({ mint, remove, valid: (projectId) => reads.read(projectId) })
    })
  )

  static readonly layerMemory = Layer.effect(
    JwtSecretStore,
    Effect.gen(function* () {
      const database = yield* MemoryDatabase
      const secrets = yield* Secrets
      const at = atNow(database)
      const { tables } = database
      return withKids({
        mint: Effect.fnUntraced(function* (projectId: ProjectId, rotate: boolean) {
          const minted = yield* at("JwtSecretStore.mint", (nowMs) => {
            if (projectIn(tables, projectId) === null) return new NotFound()
            const kid = mintIn(tables, { projectId, rotate, nowMs })
            return kid === null ? secretExists() : { kid, createdAtMs: nowMs }
          })
          if (!("kid" in minted)) return yield* minted
          return { ...minted, secret: secrets.joinSecret(projectId, minted.kid) }
        }),
        remove: (projectId) =>
          at("JwtSecretStore.remove", (nowMs) => {
            const { retires, valid } = secretsIn(tables, projectId, nowMs)
            for (const kid of valid.kids) retires.set(kid, 0)
            return valid.kids
          }),
        valid: (projectId) =>
          at("JwtSecretStore.valid", (nowMs) =>
            projectIn(tables, projectId) === null ? null : secretsIn(tables, projectId, nowMs).valid
          )
      })
    })
  )
}

/** When each secret of a project retires, Unix milliseconds, by its number; `null` = not yet. */
export const jwtSecretTable = new MemoryTable<Map<number, number | null>>()

const withKids = (
  store: Omit<JwtSecretStore["Service"], "validKids">
): JwtSecretStore["Service"] => ({
  ...store,
  validKids: (projectId) => Effect.map(store.valid(projectId), (valid) => valid?.kids ?? null)
})

interface SecretRow {
  /** `null` = the project has none. */
  readonly kid: number | null
  readonly untilMs: number | null
}

const validSecrets = (rows: ReadonlyArray<SecretRow>): ValidSecrets => {
  const retiring = rows.flatMap(({ untilMs }) => untilMs ?? [])
  return {
    kids: rows.flatMap(({ kid }) => kid ?? []).toSorted((one, other) => other - one),
    untilMs: retiring.length === 0 ? null : Math.min(...retiring)
  }
}

/** @returns when each secret retires, and those that are valid now */
const secretsIn = (tables: MemoryTables, projectId: string, nowMs: number) => {
  const retires = jwtSecretTable.rowsIn(tables).get(projectId) ?? new Map<number, number | null>()
  jwtSecretTable.rowsIn(tables).set(projectId, retires)
  const valid = [...retires].filter(([, atMs]) => atMs === null || atMs > nowMs)
  return { retires, valid: validSecrets(valid.map(([kid, untilMs]) => ({ kid, untilMs }))) }
}

/** @returns the number of the new secret; `null` = there is one, and it is not to be rotated */
const mintIn = (
  tables: MemoryTables,
  {
    projectId,
    rotate,
    nowMs
  }: { readonly projectId: string; readonly rotate: boolean; readonly nowMs: number }
): number | null => {
  const { retires } = secretsIn(tables, projectId, nowMs)
  const last = Math.max(0, ...retires.keys())
  if (retires.get(last) === null) {
    if (!rotate) return null
    retires.set(last, nowMs + IdentityLimits.jwtSecretOverlap.ms)
  }
  retires.set(last + 1, null)
  return last + 1
}

const secretExists = (): SecretExists =>
  new SecretExists({ message: "jwt-secret: one exists; ask for rotate" })
