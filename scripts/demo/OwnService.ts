import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"

import { spawnService } from "@atrium/api/testing/SpawnService"

import { DemoError, type DemoService } from "./DemoService.ts"

const startWaitMs = 45_000

/** Starts a service on a free port, with a data folder that is gone afterwards. */
export const startOwnService = async (env: NodeJS.ProcessEnv): Promise<DemoService> => {
  const dataDir = await mkdtemp(join(tmpdir(), "atrium-demo-"))
  // Ctrl-C reaches the demo alone, which then stops the service once.
  const child = spawnService({
    env: { ...withoutSettings(env), PORT: "0", ATRIUM_DATA: dataDir },
    detached: true
  })
  own.add(async () => {
    await child.stop()
    await rm(dataDir, { recursive: true, force: true })
  })
  const url = await Promise.race([child.ready, late()]).catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : String(cause)
    const text = `the service does not start: ${why.slice(-4000)}`
    throw new DemoError(text, { cause })
  })
  const project = /^\s*project\s+(p_[0-9a-f]{16})\b/m.exec(child.output())?.[1]
  if (project === undefined) throw new DemoError("the banner of the service names no project")
  return { url, project, origin: "started for this demo" }
}

const late = async (): Promise<never> => {
  await wait(startWaitMs, undefined, { ref: false })
  throw new Error(`it is not ready after ${startWaitMs / 1000} s`)
}

const own = new Set<() => Promise<void>>()

/** Stops what was started here, be it ready or not. */
export const stopOwnServices = async (): Promise<void> => {
  const stops = [...own]
  own.clear()
  await Promise.all(stops.map((stop) => stop()))
}

/** The settings of somebody's real service must not reach this one. */
const withoutSettings = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(env).filter(([name]) => !name.startsWith("ATRIUM_") && name !== "DATABASE_URL")
  )
