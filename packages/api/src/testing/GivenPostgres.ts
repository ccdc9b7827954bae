import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { Effect, Exit, Scope } from "effect"

import { urlOf } from "../postgres/Credentials.ts"
import { freePort, startServer, takeDataFolder } from "../postgres/EmbeddedPostgres.ts"

/** A PostgreSQL of the test's own, which is away for as long as the test likes. */
export interface GivenPostgres {
  readonly url: string
  /** Ends it with SIGKILL. */
  kill(): Promise<void>
  /** Starts it again at the same port. */
  start(): Promise<void>
  remove(): Promise<void>
}

export const makeGivenPostgres = async (): Promise<GivenPostgres> => {
  const parent = mkdtempSync(join(tmpdir(), "atrium-given-"))
  const options = { dataDir: join(parent, "data"), durable: true }
  const folder = Scope.makeUnsafe()
  const { place, credentials } = await Effect.runPromise(
    Scope.provide(takeDataFolder(options), folder)
  )
  let life = Scope.makeUnsafe()
  const run = (port: typeof freePort) =>
    Effect.runPromise(Scope.provide(startServer(options, place, port), life))
  let server = await run(freePort)
  const { port } = server
  const end = (): Promise<void> => Effect.runPromise(Scope.close(life, Exit.void))
  return {
    url: urlOf("atrium", credentials, { port, database: "atrium" }),
    kill: async () => {
      const pidFile = join(place.clusterDir, "postmaster.pid")
      process.kill(Number.parseInt(readFileSync(pidFile, "utf8"), 10), "SIGKILL")
      await Effect.runPromise(server.postmaster.ended)
      await end()
    },
    start: async () => {
      life = Scope.makeUnsafe()
      server = await run(Effect.succeed(port))
    },
    remove: async () => {
      await end()
      await Effect.runPromise(Scope.close(folder, Exit.void))
      rmSync(parent, { recursive: true, force: true })
    }
  }
}
