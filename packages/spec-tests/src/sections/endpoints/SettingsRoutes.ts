import { spawn } from "node:child_process"

import { isSuccess, isRefusal } from "../../check/Answers.ts"
import { same, matches, holds, Untestable } from "../../check/Expect.ts"
import { stateOf, type RoomStage, withRooms } from "../../trial/RoomStage.ts"
import type { Trial } from "../../trial/Trial.ts"
import { badRequest, hasShape } from "../DecidedShapes.ts"
import { settingsRoutesHeading } from "../Headings.ts"
import { withWorlds, worldMs } from "../limits/PhysicsProbes.ts"
import { type Settings, patched, settingsOf } from "../resources/Settings.ts"
import { clientRow, loginRoute } from "../RowKinds.ts"
import { section, tierA, tierC, rowOf } from "../Section.ts"
import { dayMs, mib } from "../Units.ts"
import { takesALogin } from "./LoginRoutes.ts"

const startsWithinMs = 90_000

/** Lines 245 to 249 of the specification: Project settings and caps. */
export const settingsRoutesSection = section(settingsRoutesHeading, {
  "route.project.patch": loginRoute(245, "PATCH /v1/projects/:id", { check: takesALogin }),
  "project.patch.response": tierA(245, "answers the updated project", {
    decisions: ["D-13"],
    check: {
      title: "the answer is the project as it is from then on",
      run: async (trial) => {
        const project = await trial.project()
        const steps: ReadonlyArray<Settings> = [
          { connectionsPerIpPerMin: 150, vmMemMib: 512 },
          { vmMemMib: 1024 },
          { connectionsPerIpPerMin: null },
          { connectionsPerIpPerMin: 10, vmMemMib: null },
          {}
        ]
        let inForce: Settings = {}
        for (const step of steps) {
          inForce = { ...inForce, ...step }
          const answer = await patched(project, step)
          isSuccess(answer)
          const shown = Object(answer.json)
          for (const [field, value] of Object.entries(inForce)) same(field, shown[field], value)
          same("the id", trial.codecs.projectId(answer.json), project.id)
          same("the name", shown["name"], project.name)
          same("an answer to the same again", await settingsOf(project), shown)
        }
      }
    }
  }),
  "route.caps.patch": loginRoute(246, "PATCH /v1/projects/:id/caps", { check: takesALogin }),
  "caps.body-shape": tierA(246, "PATCH caps body and response are not given", {
    level: "decided",
    decisions: ["D-10"],
    is: { field: "caps" },
    check: {
      title: "PATCH caps takes `caps`, changes what it names alone, and answers what GET answers",
      run: async (trial) => {
        const project = await trial.project()
        const { field = "" } = rowOf("statement", "caps.body-shape").is ?? {}
        const patch = (caps: unknown) =>
          project.ask("/caps", { method: "PATCH", body: { [String(field)]: caps } })
        const set = await patch({ roomHours: 100, storageBytes: 5 })
        trial.chosen("D-10", () => isSuccess(set))
        const changed = await patch({ storageBytes: null })
        trial.chosen("D-10", () => {
          const { roomHours, storageBytes } = Object(Object(changed.json)["meters"])
          same("what is not named", Object(roomHours)["ceiling"], 100)
          same("what is cleared", Object(storageBytes)["ceiling"], null)
        })
        const read = await project.ask("/caps")
        trial.chosen("D-10", () => same("the answer", changed.json, read.json))
        const unknown = await patch({ cpuSeconds: 1 })
        trial.chosen("D-10", () =>
          isRefusal(trial, unknown, { ...badRequest(), naming: "cpuSeconds" })
        )
      }
    }
  }),
  "route.caps.get": loginRoute(247, "GET /v1/projects/:id/caps", { check: takesALogin }),
  "caps.read-shape": tierA(247, "GET caps shape is not given", {
    level: "decided",
    decisions: ["D-10"],
    shape: {
      of: "the answer of GET /v1/projects/:id/caps",
      fields: {
        tier: { type: ["string"], values: ["free", "card"] },
        period: { type: ["object"] },
        meters: { type: ["object"] }
      },
      exact: true
    },
    is: { meter: ["allowance", "ceiling", "state", "used"], states: ["ok", "warned", "walled"] },
    check: {
      title: "caps are read with their tier, their month and four standings",
      run: async (trial) => {
        const project = await trial.project()
        const answer = await project.ask("/caps")
        isSuccess(answer)
        hasShape(trial, { id: "caps.read-shape", decision: "D-10" }, answer.json)
        const { meter, states } = rowOf("shape", "caps.read-shape").is ?? {}
        const { period, meters: standings } = Object(answer.json)
        trial.chosen("D-10", () => {
          const moment = /^\d{4}-\d\d-01T00:00:00\.000Z$/
          const { start, end } = Object(period)
          for (const at of [start, end]) matches("a moment of the period", at, moment)
          const days = (Date.parse(end) - Date.parse(start)) / dayMs
          holds("the period is one month", days >= 28 && days <= 31, days)
          for (const name of meters) {
            const standing = Object(Object(standings)[name])
            same(`the fields of ${name}`, Object.keys(standing).toSorted(), meter)
            const isKnown = Array.isArray(states) && states.includes(standing.state)
            same(`the state of ${name} is one of ${String(states)}`, isKnown, true)
          }
        })
        const body = trial.codecs.capsBody({ voiceMinutes: 0, roomHours: 1 })
        const capped = Object((await project.ask("/caps", { method: "PATCH", body })).json)
        trial.chosen("D-10", () => {
          const { voiceMinutes, roomHours } = Object(capped["meters"])
          same("a cap of 0 is reached", Object(voiceMinutes)["state"], "walled")
          same("one above what is used is not", Object(roomHours)["state"], "ok")
        })
      }
    }
  }),
  "project.connections.env": clientRow(
    249,
    "connectionsPerIpPerMin reaches the server as SERVICE_CONNECTIONS_PER_IP_PER_MIN at next start",
    {
      is: { variable: "SERVICE_CONNECTIONS_PER_IP_PER_MIN" },
      check: {
        needs: ["metrics"],
        title: "connections per address reach the server at its next start, which is a cold boot",
        run: withRooms(async (stage, trial) => {
          const client = await stage.client("room")
          await client.call("addDurably", { by: 7 })
          const [first] = await startsOf(trial, stage)
          same("at first", first?.connectionsPerIpPerMin, 120)
          await set(stage, { connectionsPerIpPerMin: 77 })
          same("while it runs", (await startsOf(trial, stage)).length, 1)
          await client.leave()
          await stage.asleep("room")
          const back = await stage.client("room")
          const starts = await startsOf(trial, stage)
          same("at its next start", starts.at(-1)?.connectionsPerIpPerMin, 77)
          same("which is cold", starts.at(-1)?.boot, "cold")
          const { value, created } = await stateOf(back)
          same("the room", { value, created }, { value: 7, created: 1 })
          await set(stage, { connectionsPerIpPerMin: null })
          await back.leave()
          await stage.asleep("room")
          await stage.client("room")
          same("cleared", (await startsOf(trial, stage)).at(-1)?.connectionsPerIpPerMin, 120)
        })
      }
    }
  ),
  "project.connections.cold-boot": clientRow(
    249,
    "the first start with a new value is a cold boot; rooms return from snapshots",
    { provedBy: "project.connections.env" }
  ),
  "project.vmMem.next-start": tierC(249, "vmMemMib applies at the next start only", {
    hooks: ["metrics"],
    provedBy: "project.vmMem.cold-boot"
  }),
  "project.vmMem.overrides-physics": tierC(249, "it overrides automatic sizing including physics", {
    hooks: ["fixture", "metrics"],
    features: ["physics"],
    check: {
      needs: ["fixture"],
      timeoutMs: worldMs,
      title: "a server has the memory that the project sets, also where physics would have more",
      run: withWorlds(async (stage, trial) => {
        await set(stage, { vmMemMib: 128 })
        await stage.client("room", { type: "world" })
        same("what is set", (await startsOf(trial, stage))[0]?.vmMemMib, 128)
      })
    }
  }),
  "project.vmMem.cold-boot": tierC(249, "it invalidates saved images: next start is a cold boot", {
    hooks: ["fixture", "metrics"],
    check: {
      needs: ["fixture"],
      title: "a server has 128 MiB, and what the project sets from its next start on, a cold boot",
      run: withRooms(async (stage, trial) => {
        const client = await stage.client("room")
        await client.call("addDurably", { by: 7 })
        same("automatic", (await startsOf(trial, stage))[0]?.vmMemMib, 128)
        await set(stage, { vmMemMib: 512 })
        const another = await stage.client("another")
        same("while it runs", (await startsOf(trial, stage)).length, 1)
        await another.leave()
        await client.leave()
        await stage.asleep("another")
        await stage.asleep("room")
        same("its state", (await stateOf(await stage.client("room"))).value, 7)
        const starts = await startsOf(trial, stage)
        const { boot, vmMemMib } = Object(starts.at(-1))
        same("the next start", { boot, vmMemMib }, { boot: "cold", vmMemMib: 512 })
      })
    }
  }),
  "project.vmMem.auto-128": tierC(249, "automatic size 128 MiB", {
    hooks: ["metrics"],
    decisions: ["T-43"],
    is: { memoryBytes: 128 * mib },
    provedBy: "project.vmMem.cold-boot"
  }),
  "project.vmMem.auto-256-physics": tierC(249, "automatic size 256 MiB with physics", {
    hooks: ["fixture", "metrics"],
    features: ["physics"],
    is: { memoryBytes: 256 * mib },
    check: {
      needs: ["fixture"],
      timeoutMs: worldMs,
      title: "a server of a project whose schema declares physics has 256 MiB",
      run: withWorlds(async (stage, trial) => {
        await stage.client("room", { type: "world" })
        const { is } = rowOf("statement", "project.vmMem.auto-256-physics")
        same(
          "automatic",
          (await startsOf(trial, stage))[0]?.vmMemMib,
          Number(is?.["memoryBytes"]) / mib
        )
      })
    }
  }),
  "selfrun.connections-zero-refused": tierC(249, "a self-run server given 0 refuses at boot", {
    probe: ["cli"],
    features: ["selfRun"],
    decisions: ["T-25"],
    alsoLines: [424],
    boundary: { unit: "count", accept: 1, refuse: 0, outcome: {} },
    numbers: [0],
    check: {
      title: "a server that is told to take 0 connections refuses to start, with 1 it starts",
      timeoutMs: 2 * startsWithinMs,
      run: async (trial) => {
        const refused = await boot(trial, "0")
        holds("it does not start with 0", refused.code !== null && refused.code > 0, refused)
        holds("it names the variable", refused.output.includes(variable), refused.output)
        const started = await boot(trial, "1")
        same(`it starts with 1: ${started.output.slice(-300)}`, started.code, null)
      }
    }
  })
})

const meters = ["roomHours", "voiceMinutes", "storageBytes", "dataOutBytes"] as const

const variable = "SERVICE_CONNECTIONS_PER_IP_PER_MIN"

interface Boot {
  /** Null = it was ready, and was then ended. */
  readonly code: number | null
  readonly output: string
}

/** Starts a server of one's own, until it is ready or has ended. */
const boot = (trial: Trial, value: string): Promise<Boot> => {
  const { selfRun } = trial.config
  if (selfRun === undefined) throw new Untestable("the configuration does not say how to start one")
  const [program, ...args] = selfRun.argv
  const ready = new RegExp(selfRun.ready, "m")
  const child = spawn(program, args, {
    env: { PATH: process.env["PATH"], ...selfRun.env, [variable]: value },
    timeout: startsWithinMs,
    signal: trial.signal
  })
  return new Promise((resolve, reject) => {
    let [output, isReady] = ["", false]
    const read = (chunk: Buffer): void => {
      output += chunk.toString()
      if (isReady || !ready.test(output)) return
      isReady = true
      child.kill("SIGTERM")
    }
    child.stdout.on("data", read)
    child.stderr.on("data", read)
    child.on("error", reject)
    child.on("close", (code) => resolve({ code: isReady ? null : (code ?? -1), output }))
  })
}

interface Start {
  readonly boot: unknown
  readonly vmMemMib: unknown
  readonly connectionsPerIpPerMin: unknown
}

/** How the project's servers have been started so far. */
const startsOf = async (trial: Trial, stage: RoomStage): Promise<ReadonlyArray<Start>> => {
  const { serverStarts } = await trial.control.metrics(stage.project.id)
  if (!Array.isArray(serverStarts)) throw new Untestable("the metrics show no starts of servers")
  return serverStarts.map((start) => {
    const { boot, vmMemMib, connectionsPerIpPerMin } = Object(start)
    return { boot, vmMemMib, connectionsPerIpPerMin }
  })
}

const set = async (stage: RoomStage, settings: object): Promise<void> => {
  const { name } = stage.project
  isSuccess(await stage.project.ask("", { method: "PATCH", body: { name, ...settings } }))
}
