import { spawn } from "node:child_process"

import type { SmokeFinding } from "../report/ReportLine.ts"
import { ProbeTrial } from "../trial/ProbeTrial.ts"
import type { Project } from "../trial/Project.ts"
import type { World } from "../trial/World.ts"
import type { CheckRun } from "./RunCheck.ts"

/** A tool or an adapter may take its time to start on a busy machine. */
const answersWithinMs = 45_000
const driftMaxMs = 30_000
const detailMax = 300

interface Probe {
  readonly what: string
  /** The needs that cannot be met if this probe fails: `hook …`, `feature …` or `all`. */
  readonly stands: ReadonlyArray<string>
  /** In a few words what was seen; throws when it does not work. */
  readonly look: () => Promise<string>
}

interface Looking {
  readonly world: World
  readonly trial: ProbeTrial
  /** One of each account. */
  readonly projects: Promise<readonly [Project, Project]>
}

/** Looks whether all that is declared is there; what is not becomes `broken`, never a skip. */
export const smoke = async (run: Omit<CheckRun, "seed">): Promise<ReadonlyArray<SmokeFinding>> => {
  const { world } = run
  const late = AbortSignal.timeout(answersWithinMs * world.patience)
  const signal = AbortSignal.any([run.signal, late])
  const trial = new ProbeTrial({ ...run, signal, seed: 0, alone: false })
  const projects = Promise.all([trial.project(0), trial.project(1)])
  projects.catch(() => undefined)
  const looking = { world, trial, projects }
  const probes = [...basics(looking), ...hooks(looking), ...tools(looking)]
  const findings = await Promise.all(probes.map((probe) => found(probe, world)))
  await trial.end()
  return findings
}

const found = async ({ what, stands, look }: Probe, world: World): Promise<SmokeFinding> => {
  const beganMs = performance.now()
  const finding = (ok: boolean, detail: string): SmokeFinding => ({
    what,
    ok,
    detail: world.secrets.masked(detail).slice(0, detailMax),
    tookMs: Math.round(performance.now() - beganMs)
  })
  try {
    return finding(true, await look())
  } catch (cause) {
    const failed = finding(false, cause instanceof Error ? cause.message : String(cause))
    for (const need of stands) world.broken.set(need, `${what}: ${failed.detail}`)
    return failed
  }
}

const basics = ({ world, trial, projects }: Looking): ReadonlyArray<Probe> => [
  {
    what: "the address answers",
    stands: ["all"],
    look: async () => {
      const { status } = await trial.send({ method: "GET", path: "/" })
      return `GET / is ${status}`
    }
  },
  {
    what: "two accounts have projects",
    stands: ["all"],
    look: async () => {
      const [own, other] = await projects
      if (own.id === other.id) throw new Error("both were given the same project")
      return `${own.id} and ${other.id}`
    }
  },
  {
    what: "its clock is right",
    stands: [],
    look: async () => {
      const { headers } = await trial.send({ method: "GET", path: "/" })
      const dateMs = Date.parse(headers["date"] ?? "")
      if (Number.isNaN(dateMs)) return "it sends no date"
      const driftMs = Math.abs(dateMs - Date.now())
      if (driftMs <= driftMaxMs || world.hooks.has("clock")) return "within 30 seconds"
      throw new Error(`it is off by ${driftMs} ms`)
    }
  }
]

const hooks = ({ world, trial, projects }: Looking): ReadonlyArray<Probe> => {
  const { control, config, fixtures } = trial
  const own = async (): Promise<string> => (await projects)[0].id
  const looks: Readonly<Record<string, () => Promise<string>>> = {
    clock: async () => new Date(await control.nowMs()).toISOString(),
    servers: async () => `${(await control.servers(await own())).length} servers`,
    storage: async () => `${(await control.objects(await own())).length} objects`,
    metrics: async () => `${Object.keys(await control.metrics(await own())).length} metrics`,
    outbox: async () => `${(await control.outbox(await own())).length} mails`,
    address: async () => {
      const headers = { [config.addressHeader ?? ""]: "192.0.2.1" }
      return `GET / is ${(await trial.send({ method: "GET", path: "/", headers })).status}`
    },
    fixture: async () => {
      await fixtures.deploy((await projects)[0], "probe")
      return "it deploys the probe"
    }
  }
  return [...world.hooks].map((hook) => ({
    what: `hook ${hook}`,
    stands: [`hook ${hook}`],
    look: async () => {
      const known = world.broken.get(`hook ${hook}`)
      if (known !== undefined) throw new Error(known)
      return (await looks[hook]?.()) ?? "named by the control listener"
    }
  }))
}

const tools = ({ trial }: Looking): ReadonlyArray<Probe> => {
  const { cli, features } = trial.config
  if (cli === undefined && !features.includes("cli")) return []
  const look = async (): Promise<string> => {
    if (cli === undefined) throw new Error("the configuration names no tool")
    return starts(cli.argv, trial.signal)
  }
  return [{ what: "the command line answers", stands: ["feature cli"], look }]
}

const starts = (
  [program, ...before]: readonly [string, ...ReadonlyArray<string>],
  signal: AbortSignal
): Promise<string> => {
  const child = spawn(program, [...before, "--help"], {
    stdio: ["ignore", "pipe", "pipe"],
    killSignal: "SIGKILL",
    signal
  })
  return new Promise((resolve, reject) => {
    let saidBytes = 0
    child.stdout.on("data", (chunk: Buffer) => (saidBytes += chunk.byteLength))
    child.stderr.resume()
    child.on("error", reject)
    child.on("close", (code) => {
      if (code === 0 && saidBytes > 0) resolve("it has a help")
      else reject(new Error(`--help ended with ${code} after ${saidBytes} bytes`))
    })
  })
}
