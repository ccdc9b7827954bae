import { readFile } from "node:fs/promises"
import { join } from "node:path"

import { PgClient } from "@effect/sql-pg"
import { Effect, Exit, Redacted, Scope } from "effect"
import { Reactivity } from "effect/reactivity"

/** A connection of one's own to the PostgreSQL of a service, past the service. */
export interface DatabaseSession {
  rows<Row extends object>(statement: string): Promise<ReadonlyArray<Row>>
  close(): Promise<void>
}

export const openSession = async (url: string): Promise<DatabaseSession> => {
  const scope = Scope.makeUnsafe()
  const sql = await PgClient.make({ url: Redacted.make(url), maxConnections: 1 }).pipe(
    Scope.provide(scope),
    Effect.provide(Reactivity.layer),
    Effect.runPromise
  )
  return {
    rows: <Row extends object>(statement: string) => Effect.runPromise(sql.unsafe<Row>(statement)),
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

/** @param dataDir the data folder of a service that runs on its own PostgreSQL */
export const openEmbeddedDatabase = async (dataDir: string): Promise<DatabaseSession> => {
  const folder = join(dataDir, "postgres")
  const { atrium } = JSON.parse(await readFile(join(folder, "credentials.json"), "utf8"))
  // The fourth line is the port.
  const [, , , port = ""] = (await readFile(join(folder, "cluster/postmaster.pid"), "utf8")).split(
    "\n"
  )
  return openSession(`postgres://atrium:${atrium}@127.0.0.1:${port}/atrium`)
}
