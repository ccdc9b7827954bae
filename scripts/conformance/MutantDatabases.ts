import { randomBytes } from "node:crypto"

import { startEmbeddedPostgres } from "@atrium/postgres/EmbeddedPostgres"
import { PgClient } from "@effect/sql-pg"
import { Effect, Exit, Redacted, Scope } from "effect"
import { Reactivity } from "effect/reactivity"

/** A PostgreSQL of its own, and as many empty databases of it as are asked for. */
export const openDatabases = async (dataDir: string) => {
  const scope = Scope.makeUnsafe()
  const opened = Effect.gen(function* () {
    const { adminUrl } = yield* startEmbeddedPostgres({ dataDir, durable: false })
    const sql = yield* PgClient.make({ url: adminUrl, maxConnections: 2 })
    const make = (): Promise<string> => {
      const name = `mutant_${randomBytes(4).toString("hex")}`
      const url = new URL(Redacted.value(adminUrl))
      url.pathname = `/${name}`
      return Effect.runPromise(Effect.as(sql`CREATE DATABASE ${sql(name)}`, url.href))
    }
    return make
  })
  const make = await opened.pipe(
    Scope.provide(scope),
    Effect.provide(Reactivity.layer),
    Effect.runPromise
  )
  return { make, stop: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}
