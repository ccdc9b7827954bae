import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { urlOf } from "@atrium/postgres/Credentials"
import { startServer, takeDataFolder } from "@atrium/postgres/EmbeddedPostgres"
import { Effect, Exit, Scope } from "effect"

import { keptPort } from "./KeptPorts.ts"
import { copyPreparedCluster } from "./PreparedCluster.ts"
import { standStill } from "./ProcessTree.ts"
import { makeHome, type RunningService, type ServiceHome } from "./RunningService.ts"

/** A PostgreSQL of the test's own, which is away for as long as the test likes. */
export interface GivenPostgres {
  readonly url: string
  /** The folder of its cluster. */
  readonly folder: string
  /** Waits until it has ended by itself. */
  ended(): Promise<void>
  /** Ends it with SIGKILL. */
  kill(): Promise<void>
  /** Lets all of its processes stand still, as a frozen machine does, or go on. */
  freeze(frozen: boolean): void
  /** Starts it again at the same port. */
  start(): Promise<void>
  remove(): Promise<void>
}

/** @param root the folder for its data folder */
export const makeGivenPostgres = async (root = tmpdir()): Promise<GivenPostgres> => {
  const parent = mkdtempSync(join(root, "atrium-given-"))
  const options = { dataDir: join(parent, "data"), durable: true }
  // The copy's own settings turn `fsync` off all the same: these tests end processes, not the machine.
  copyPreparedCluster(options.dataDir)
  const folder = Scope.makeUnsafe()
  const { place, credentials } = await Effect.runPromise(
    Scope.provide(takeDataFolder(options), folder)
  )
  let life = Scope.makeUnsafe()
  const port = await keptPort()
  const run = () =>
    Effect.runPromise(Scope.provide(startServer(options, place, Effect.succeed(port)), life))
  let server = await run()
  const pidFile = join(place.clusterDir, "postmaster.pid")
  const end = (): Promise<void> => Effect.runPromise(Scope.close(life, Exit.void))
  return {
    url: urlOf("atrium", credentials, { port, database: "atrium" }),
    folder: place.clusterDir,
    ended: async () => {
      await Effect.runPromise(server.postmaster.ended)
      await end()
    },
    kill: async () => {
      process.kill(Number.parseInt(readFileSync(pidFile, "utf8"), 10), "SIGKILL")
      await Effect.runPromise(server.postmaster.ended)
      await end()
    },
    freeze: (frozen) => {
      standStill(Number.parseInt(readFileSync(pidFile, "utf8"), 10), frozen)
    },
    start: async () => {
      life = Scope.makeUnsafe()
      server = await run()
    },
    remove: async () => {
      await end()
      await Effect.runPromise(Scope.close(folder, Exit.void))
      rmSync(parent, { recursive: true, force: true })
    }
  }
}

/** A service on a PostgreSQL that its test takes away, freezes or fills. */
export interface ServiceOnPostgres {
  readonly database: GivenPostgres
  readonly home: ServiceHome
  readonly service: RunningService
  /** Ends both, and removes what they have left. */
  remove(): Promise<void>
}

export const startOnPostgres = async (database: GivenPostgres): Promise<ServiceOnPostgres> => {
  const home = await makeHome(database)
  const remove = async (): Promise<void> => {
    await home.remove()
    await database.remove()
  }
  try {
    return { database, home, service: await home.start(), remove }
  } catch (cause) {
    await remove()
    throw cause
  }
}
