import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { parseArgs } from "node:util"

import { DemoError, type DemoService } from "./DemoService.ts"
import { startOwnService } from "./OwnService.ts"

const healthWaitMs = 2000

const parse = (argv: ReadonlyArray<string>) => {
  try {
    return parseArgs({
      args: [...argv],
      options: { url: { type: "string" }, project: { type: "string" } }
    }).values
  } catch (error) {
    throw new DemoError(error instanceof Error ? error.message : String(error), { cause: error })
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
  const project =
    given.project ?? env.ATRIUM_PROJECT ?? (url === running?.url ? running.project : null)
  if (named !== "" && !(await answers(named))) throw new DemoError(`nothing answers at ${named}`)
  if (named !== "" && project === null) {
    throw new DemoError(`${named}: say which project to play in: npm run demo -- --project p_…`)
  }
  if (url === null || project === null) return startOwnService(env)
  return { url, project, origin: "running already" }
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
