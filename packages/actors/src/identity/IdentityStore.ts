import { createHash } from "node:crypto"

import { IdentityProviders } from "@atrium/domain/identity/IdentityProviders"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { NotFound } from "@atrium/domain/shared/Refusal"
import { PgClient } from "@effect/sql-pg"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

import { projectIn } from "../projects/ProjectStore.ts"
import { atNow, MemoryDatabase, MemoryTable } from "../store/MemoryDatabase.ts"
import { randomHex } from "../store/Secrets.ts"

type Providers = typeof IdentityProviders.Type

/** Somebody whom an issuer knows. */
export interface Subject {
  readonly issuer: string
  readonly subject: string
}

const decodeProviders = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ providers: IdentityProviders }))
)

/** A new id of a player. Source: D-27. */
export const newPlayerId = (): string => `pl_${randomHex(16)}`

/**
 * The identity providers that a project trusts, and the player of each of their subjects. A failing store is a
 * defect. Source: D-27, C-541.
 */
export class IdentityStore extends Context.Service<
  IdentityStore,
  {
    providers(projectId: ProjectId): Effect.Effect<Providers>
    /** These providers replace those before. */
    setProviders(projectId: ProjectId, providers: Providers): Effect.Effect<void, NotFound>
    /** The player that a subject is: always the same one, until that player is deleted. */
    playerOf(projectId: ProjectId, subject: Subject): Effect.Effect<string>
  }
>()("@atrium/actors/identity/IdentityStore") {
  static readonly layerSql = Layer.effect(
    IdentityStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const pg = yield* PgClient.PgClient

      const providers = Effect.fn("IdentityStore.providers")(function* (projectId: ProjectId) {
        const rows = yield* Effect.orDie(
          Effect.flatMap(
            sql`select providers from identity_providers where project_id = ${projectId}`,
            decodeProviders
          )
        )
        return rows[0]?.providers ?? []
      })

      const setProviders = Effect.fn("IdentityStore.setProviders")(function* (
        projectId: ProjectId,
        given: Providers
      ) {
        const set = yield* Effect.orDie(sql`
          insert into identity_providers (project_id, providers)
          select project_id, ${pg.json(given)}::jsonb from projects
          where project_id = ${projectId} and deleted_at_ms is null
          on conflict (project_id) do update set providers = excluded.providers
          returning 1`)
        if (set.length === 0) return yield* new NotFound()
      })

      const find = (projectId: ProjectId, hash: Uint8Array) =>
        Effect.orDie(sql<{ readonly player_id: string }>`
          select player_id from identity_subjects
          where project_id = ${projectId} and subject_hash = ${hash}`)

      const playerOf = Effect.fn("IdentityStore.playerOf")(function* (
        projectId: ProjectId,
        subject: Subject
      ) {
        const hash = subjectHash(subject)
        const [known] = yield* find(projectId, hash)
        if (known !== undefined) return known.player_id
        const nowMs = yield* Clock.currentTimeMillis
        // Two that come at once are the same player: the one that was written.
        const [written] = yield* Effect.orDie(sql<{ readonly player_id: string }>`
          insert into identity_subjects (project_id, subject_hash, player_id, issuer, made_at_ms)
          values (${projectId}, ${hash}, ${newPlayerId()}, ${subject.issuer}, ${nowMs})
          on conflict (project_id, subject_hash) do update set issuer = excluded.issuer
          returning player_id`)
        return written?.player_id ?? (yield* Effect.die(new Error("no subject was written")))
      })

      return { providers, setProviders, playerOf }
    })
  )

  static readonly layerMemory = Layer.effect(
    IdentityStore,
    Effect.gen(function* () {
      const database = yield* MemoryDatabase
      const { tables, ask } = database
      const all = providerTable.rowsIn(tables)
      return {
        providers: (projectId) => ask("IdentityStore.providers", () => all.get(projectId) ?? []),
        setProviders: Effect.fnUntraced(function* (projectId: ProjectId, given: Providers) {
          const set = yield* ask("IdentityStore.setProviders", () => {
            if (projectIn(tables, projectId) === null) return false
            all.set(projectId, structuredClone(given))
            return true
          })
          if (!set) return yield* new NotFound()
        }),
        playerOf: (projectId, subject) =>
          atNow(database)("IdentityStore.playerOf", (madeAtMs) => {
            const key = `${projectId}/${Buffer.from(subjectHash(subject)).toString("hex")}`
            const known = subjectTable.rowsIn(tables).get(key)
            if (known !== undefined) return known.playerId
            const playerId = newPlayerId()
            const { issuer } = subject
            subjectTable.rowsIn(tables).set(key, { projectId, playerId, issuer, madeAtMs })
            return playerId
          })
      }
    })
  )
}

interface SubjectRow {
  readonly projectId: ProjectId
  readonly playerId: string
  readonly issuer: string
  readonly madeAtMs: number
}

/** The providers of projects, by project. */
export const providerTable = new MemoryTable<Providers>()

/** The players that subjects are, by `<project>/<hash>`. */
export const subjectTable = new MemoryTable<SubjectRow>()

/** A subject is kept as a hash: a copy of the table names nobody. JSON tells where the issuer ends. */
const subjectHash = ({ issuer, subject }: Subject): Uint8Array =>
  new Uint8Array(
    createHash("sha256")
      .update(JSON.stringify([issuer, subject]))
      .digest()
  )
