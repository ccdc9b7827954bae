import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

import { DemoError, type DemoService } from "./DemoService.ts"

const main = fileURLToPath(new URL("../../packages/api/src/main.ts", import.meta.url))
const startWaitMs = 45_000
const stopWaitMs = 30_000

/** Starts a service on a free port, with a data folder that is gone afterwards. */
export const startOwnService = async (env: NodeJS.ProcessEnv): Promise<DemoService> => {
  const dataDir = await mkdtemp(join(tmpdir(), "atrium-demo-"))
  // A process group of its own: Ctrl-C reaches the demo alone, which then stops the service once.
  const child = spawn(process.execPath, [main], {
    env: { ...withoutSettings(env), PORT: "0", ATRIUM_DATA: dataDir },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true
  })
  const ended = once(child, "close")
  const stop = async (): Promise<void> => {
    await end(child, ended)
    await rm(dataDir, { recursive: true, force: true })
  }
  own.add(stop)
  return { ...(await ready(child)), origin: "started for this demo" }
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

const ready = (child: ChildProcess): Promise<{ readonly url: string; readonly project: string }> =>
  new Promise((resolve, reject) => {
    let out = ""
    let err = ""
    const fail = (why: string): void => {
      clearTimeout(timer)
      reject(new DemoError(`the service does not start: ${why}\n${err.trim()}`.trim()))
    }
    const timer = setTimeout(() => fail(`not ready after ${startWaitMs / 1000} s`), startWaitMs)
    child.on("error", (error) => fail(error.message))
    child.on("exit", (code, signal) => fail(`it ended with ${code ?? signal}`))
    child.stderr
      ?.setEncoding("utf8")
      .on("data", (text: string) => (err = (err + text).slice(-4000)))
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      out += text
      const url = /^ready (http:\/\/\S+)$/m.exec(out)?.[1]
      if (url === undefined) return
      const project = /^\s*project\s+(p_[0-9a-f]{16})\b/m.exec(out)?.[1]
      if (project === undefined) return fail("its banner names no project")
      clearTimeout(timer)
      resolve({ url, project })
    })
  })

const end = async (child: ChildProcess, ended: Promise<unknown>): Promise<void> => {
  child.kill("SIGTERM")
  const timer = setTimeout(() => child.kill("SIGKILL"), stopWaitMs)
  await ended
  clearTimeout(timer)
}
