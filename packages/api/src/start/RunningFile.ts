import { rmSync } from "node:fs"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"

import { Effect, type Scope } from "effect"

/** Where the service of a data folder is to be found; no secret is in it. */
export interface Running {
  readonly url: string
  readonly project: string | null
  readonly pid: number
}

/** Leaves word in the data folder for as long as the service runs: `npm run demo` looks there. */
export const leaveWord = (
  dataDir: string,
  running: Running
): Effect.Effect<void, never, Scope.Scope> => {
  const path = join(dataDir, "running.json")
  return Effect.acquireRelease(
    Effect.promise(async () => {
      await mkdir(dataDir, { recursive: true, mode: 0o700 })
      await writeFile(path, `${JSON.stringify(running)}\n`)
    }),
    () => Effect.sync(() => rmSync(path, { force: true }))
  )
}
