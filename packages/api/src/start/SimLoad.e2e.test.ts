import { spawn } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { until } from "@atrium/domain/testing/Until"
import { afterAll, beforeAll, expect, it } from "vitest"

import { programOf } from "../testing/BuiltPrograms.ts"
import { call, deploy, repository } from "../testing/RunningService.ts"
import { serviceUnderTest } from "../testing/ServiceUnderTest.ts"

// Players of `atrium sim load` against the service, with the room code of examples/arena.

const service = serviceUnderTest()
const arena = join(repository, "examples/arena")
let folder = ""
let project = ""

const scenario = (load: object) => ({
  game: {
    schema: join(arena, "schema.ts"),
    maxClients: 8,
    tickHz: 20,
    patchBytes: 200,
    up: { hz: 10, bytes: 9 },
    stateBytes: 500
  },
  players: { daily: 100 },
  session: { minutes: 10 },
  fleet: { runner: { cores: 2, memory: "4GB" }, postgres: { writesPerSecond: 1000 } },
  load
})
const met = {
  stages: [
    { duration: "1s", target: 30 },
    { duration: "2s", target: 30 }
  ],
  thresholds: {
    joinMs: ["p(99)<60000"],
    patchMs: ["p(99)<60000"],
    pingMs: ["max<60000"],
    refused: ["count<1"],
    dropped: ["rate<=0"]
  }
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "atrium-sim-load-"))
  const { url, token } = service
  const made = await call(url, "/v1/projects", { token, body: { name: "sim-load" } })
  project = String(made.body["id"])
  const deployed = await deploy({ url, token, project }, ["room.ts"], arena)
  if (deployed.status !== 201) throw new Error(JSON.stringify(deployed.body))
  const missed = { ...met, thresholds: { ...met.thresholds, joinMs: ["max<0.001"] } }
  const long = { stages: [{ duration: "10m", target: 600 }] }
  for (const [name, load] of Object.entries({ met, missed, long })) {
    await writeFile(join(folder, `${name}.yaml`), JSON.stringify(scenario(load)))
  }
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Starts `atrium sim load` with a scenario of the folder. */
const start = (name: string, to = project) => {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const argv = ["sim", "load", `${name}.yaml`, "--url", service.url, "--project", to]
  const child = spawn(process.execPath, [programOf("cli"), ...argv, "--json"], {
    cwd: folder,
    env: { PATH, NODE_COMPILE_CACHE, XDG_CONFIG_HOME: folder },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let out = ""
  let err = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text))
  const ended = new Promise<{
    readonly code: number | null
    readonly out: string
    readonly err: string
  }>((resolve) => {
    child.on("close", (code) => resolve({ code, out, err }))
  })
  return { child, ended }
}

const sockets = async (): Promise<number> => {
  const { body } = await call(service.url, `/v1/projects/${project}/metrics`, {
    token: service.token
  })
  return Number(body["sockets"])
}

it("[sim.load] plays a scenario with real players, and its thresholds are kept", async () => {
  const { code, out, err } = await start("met").ended
  expect({ code, err }).toEqual({ code: 0, err: "" })
  const report = JSON.parse(out)
  expect(report).toMatchObject({
    ended: "done",
    type: "arena",
    project,
    players: { most: 30, rooms: 4, stayed: 0 },
    joins: { started: 30, joined: 30, refused: {} },
    connections: { dropped: {}, rejoined: 0, lost: 0 },
    messages: { refused: {} }
  })
  // Twenty patches a second come to each of them, and ten messages go.
  expect(report.messages.sent).toBeGreaterThan(300)
  expect(report.messages.patches).toBeGreaterThan(600)
  expect(report.bytes.in).toBeGreaterThan(report.messages.patches * 10)
  expect(report.spans.joinMs).toMatchObject({ count: 30 })
  expect(report.thresholds.map(({ kept }: { kept: boolean }) => kept)).toEqual(Array(5).fill(true))
  expect(await until("all have left", async () => (await sockets()) === 0)).toBe(true)
})

it("[sim.load] a threshold that is missed is exit code 1, and refusals are counted by code", async () => {
  const missed = await start("missed").ended
  expect(missed.code).toBe(1)
  expect(missed.err).toMatch(/^missed: joinMs max<0\.001: [\d.,]+\n$/)
  const nowhere = await start("met", "p_0000000000000000").ended
  expect(nowhere.code).toBe(1)
  const report = JSON.parse(nowhere.out)
  expect(report.joins).toEqual({
    started: 30,
    joined: 0,
    refused: { "E_NOT_FOUND at /v1/identity": 30 }
  })
})

it("[sim.load] Ctrl-C ends a run, and its report is there", async () => {
  const { child, ended } = start("long")
  await until("players are there", async () => (await sockets()) > 3)
  child.kill("SIGINT")
  const { code, out, err } = await ended
  expect({ code, err }).toEqual({ code: 1, err: "stopped before its end\n" })
  const report = JSON.parse(out)
  expect(report).toMatchObject({ ended: "stopped", players: { stayed: 0 } })
  expect(report.joins.joined).toBeGreaterThan(3)
  expect(await until("all have left", async () => (await sockets()) === 0)).toBe(true)
})
