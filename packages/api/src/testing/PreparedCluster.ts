import { execFileSync } from "node:child_process"
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { takeDataFolder } from "@atrium/postgres/EmbeddedPostgres"
import { Effect } from "effect"

/** The data folder of the prepared cluster, for this process and its children. */
const Folder = "ATRIUM_PREPARED_CLUSTER"

/**
 * A machine that ends takes the run with it, so nothing is forced to the disk. `synchronous_commit` stays on: tests kill
 * PostgreSQL, and what it has acknowledged is there afterwards.
 */
const settings = ["fsync = off", "full_page_writes = off"]

/**
 * Makes a cluster of the embedded PostgreSQL, of which the tests take copies. To make one takes two seconds of processor
 * time, and a copy a tenth of one.
 *
 * @returns removes it
 */
export const prepareCluster = async (): Promise<() => void> => {
  // An earlier project of the same run has made it.
  if (process.env[Folder] !== undefined) return () => {}
  const dataDir = mkdtempSync(join(tmpdir(), "atrium-prepared-"))
  const remove = (): void => rmSync(dataDir, { recursive: true, force: true })
  try {
    await Effect.runPromise(Effect.scoped(takeDataFolder({ dataDir, durable: false })))
    const file = join(dataDir, "cluster/postgresql.auto.conf")
    appendFileSync(file, settings.map((line) => `${line}\n`).join(""))
  } catch (cause) {
    remove()
    throw cause
  }
  process.env[Folder] = dataDir
  return () => {
    delete process.env[Folder]
    remove()
  }
}

/** Puts a copy of the prepared cluster into the data folder of a PostgreSQL. Outside a test run it does nothing. */
export const copyPreparedCluster = (dataDir: string): void => {
  const prepared = process.env[Folder]
  if (prepared === undefined) return
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const parts = ["cluster", "credentials.json"].map((name) => join(prepared, name))
  // The copy keeps its owner: where root runs the tests, PostgreSQL runs as another user.
  execFileSync("cp", ["-a", ...parts, dataDir])
}
