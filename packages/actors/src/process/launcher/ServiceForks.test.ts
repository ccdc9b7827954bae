import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

import { expect, test } from "vitest"

const packages = join(import.meta.dirname, "../../../..")

/**
 * Product code that starts processes, and when. A fork stops the event loop for as long as the memory
 * of the service takes to be copied: what a tenant can cause has no place here, and is asked of the
 * launcher.
 */
const starters = new Map([
  ["actors/src/process/launcher/Launcher.ts", "in the launcher"],
  [
    "actors/src/process/launcher/LauncherLink.ts",
    "the launcher, at the start of the service and after its end"
  ],
  ["actors/src/process/launcher/Walls.ts", "in the launcher, at its start"],
  ["actors/src/process/launcher/main.ts", "in the launcher of an image, the service"],
  ["actors/src/process/BootSource.ts", "in the launcher, at its start"],
  ["postgres/src/PostgresBinaries.ts", "at the start of the service"],
  ["postgres/src/PostgresCluster.ts", "at the first start of the service"],
  ["postgres/src/PostgresUser.ts", "at the start of the service"],
  [
    "postgres/src/Postmaster.ts",
    "at the start of the service, and when PostgreSQL has ended by itself"
  ],
  ["postgres/src/ProcessIdentity.ts", "as Postmaster.ts, where there is no /proc"],
  ["api/src/replay/packerCode.ts", "at the first chunk of a replay that is packed"],
  ["api/src/demo/Games.ts", "where strangers may play, at the first request for a game"],
  ["api/src/console/ConsoleFiles.ts", "at the first request for the console"],
  [
    "api/src/demo/Examples.ts",
    "at the first start of the service, and at the first request for marbles"
  ],
  ["api/src/tarballs/RefreshTarballs.ts", "in a clone, at the first request for a package"]
])

/** The bundler is a program of its own. */
const startsProcesses = /"(?:node:(?:child_process|cluster|worker_threads)|@atrium\/sdk\/bundle)"/

const sourcesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(packages, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return /\/(?:testing|control)$/.test(path) ? [] : sourcesIn(path)
    return path.endsWith(".ts") && !/\.test\.ts$|\/Test[A-Z]/.test(path) ? [path] : []
  })

test("[C-177] the service starts no process for a tenant: every start is a known one", () => {
  const folders = ["actors/src", "api/src", "domain/src", "postgres/src"]
  const found = folders
    .flatMap(sourcesIn)
    .filter((path) => startsProcesses.test(readFileSync(join(packages, path), "utf8")))
  expect(found.toSorted()).toEqual([...starters.keys()].toSorted())
})
