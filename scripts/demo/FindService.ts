import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { parseArgs } from "node:util"

import { DemoError, type DemoService } from "./DemoService.ts"
import { startOwnService } from "./OwnService.ts"

const healthWaitMs = 2000

const usage = "npm run demo -- [--url http://…] [--project p_…]"

const parse = (argv: ReadonlyArray<string>) => {
  try {
    return parseArgs({
      args: [...argv],
      options: { url: { type: "string" }, project: { type: "string" } }
    }).values
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new DemoError(`${message}\nUsage: ${usage}`, { cause: error })
  }
}

/** A service that runs already, or one that is started for the demo. Rejects with `DemoError`. */
export const findService = async (
  argv: ReadonlyArray<string>,
  env: NodeJS.ProcessEnv
): Promise<DemoService> => {
  const given = parse(argv)
  const named = (given.url ?? env.ATRIUM_URL ?? "").replace(/\/+$/, "")
  const running = await readRunning(env)
  const url = named === "" ? await firstThatAnswers(running, env) : named
  if (named !== "" && !(await answers(named))) throw new DemoError(`nothing answers at ${named}`)
  const told = running !== null && sameService(url, running.url) ? running.project : null
  const project = given.project ?? env.ATRIUM_PROJECT ?? told ?? (await demoProject(url, env))
  if (named !== "" && project === null) {
    throw new DemoError(
      `${named}: found no project that has the examples. Set ATRIUM_TOKEN to your login token, ` +
        "or say the project: npm run demo -- --project p_…"
    )
  }
  if (url === null || project === null) return startOwnService(env)
  return { url, project, origin: "running already" }
}

/** Names of this machine: a login token may be sent there, and a service listens on all of them. */
const thisMachine: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"])

const sameService = (one: string | null, other: string): boolean => {
  const [a, b] = [URL.parse(one ?? ""), URL.parse(other)]
  if (a === null || b === null) return false
  const local = thisMachine.has(a.hostname) && thisMachine.has(b.hostname)
  return a.origin === b.origin || (local && a.protocol === b.protocol && a.port === b.port)
}

/**
 * The demo among the projects of the login in `ATRIUM_TOKEN`: the oldest one of that name whose rooms
 * include the arena. The token goes to this machine only.
 */
const demoProject = async (url: string | null, env: NodeJS.ProcessEnv): Promise<string | null> => {
  const token = env.ATRIUM_TOKEN ?? ""
  if (url === null || token === "" || !thisMachine.has(new URL(url).hostname)) return null
  const list = async (path: string): Promise<ReadonlyArray<unknown>> => {
    const response = await fetch(url + path, {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(healthWaitMs)
    }).catch(() => null)
    const rows = response?.ok === true ? jsonOf(await response.text()) : []
    return Array.isArray(rows) ? rows : []
  }
  for (const row of (await list("/v1/projects")).toReversed()) {
    const { id, name } = Object(row)
    if (name !== "demo" || typeof id !== "string") continue
    const [newest] = await list(`/v1/projects/${id}/deployments`)
    const types: unknown = Object(newest).roomTypes
    if (Array.isArray(types) && types.some((type) => Object(type).type === "arena")) return id
  }
  return null
}

interface Running {
  readonly url: string
  readonly project: string | null
}

const firstThatAnswers = async (
  running: Running | null,
  env: NodeJS.ProcessEnv
): Promise<string | null> => {
  const usual = `http://127.0.0.1:${env.PORT ?? "8787"}`
  for (const url of [running?.url, usual]) {
    if (url !== undefined && (await answers(url))) return url
  }
  return null
}

/** The word that a service leaves in its data folder; one that was killed leaves a stale one. */
const readRunning = async (env: NodeJS.ProcessEnv): Promise<Running | null> => {
  const path = join(env.ATRIUM_DATA ?? ".atrium", "running.json")
  const text = await readFile(path, "utf8").catch(() => "null")
  const word = jsonOf(text)
  if (typeof word !== "object" || word === null || !("url" in word)) return null
  const project = "project" in word && typeof word.project === "string" ? word.project : null
  return typeof word.url === "string" ? { url: word.url, project } : null
}

/** Is there an Atrium, and not just something, at this address? */
const answers = async (url: string): Promise<boolean> => {
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(healthWaitMs) })
    const health = jsonOf(await response.text())
    return typeof health === "object" && health !== null && "status" in health
  } catch {
    return false
  }
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
