import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer } from "effect"
import { TestConsole } from "effect/testing"
import { afterAll, beforeAll, expect, it } from "vitest"

import { LoadLimits } from "./load/LoadLimits.ts"
import type { PlanProgress } from "./plan/Plan.ts"
import { ProgressScreen } from "./plan/ProgressScreen.ts"
import { runSimulate } from "./Simulate.ts"

const examples = join(import.meta.dirname, "../../../examples")
let folder = ""

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "atrium-sim-")))
})
afterAll(() => rm(folder, { recursive: true }))

const printedBy = (running: ReturnType<typeof runSimulate>) =>
  Effect.gen(function* () {
    const code = yield* running
    const [out, err] = [yield* TestConsole.logLines, yield* TestConsole.errorLines]
    return { code, out: out.join("\n"), err: err.join("\n") }
  }).pipe(Effect.provide(Layer.merge(NodeServices.layer, TestConsole.layer)), Effect.runPromise)

/** Runs one command line in this process. */
const sim = (...argv: ReadonlyArray<string>) => printedBy(runSimulate(argv))

const written = async (name: string, text: string): Promise<string> => {
  const path = join(folder, name)
  await writeFile(path, text)
  return path
}

it("[sim.init] writes over a file with --force alone", async () => {
  const path = await written("scenario.yaml", "mine")
  expect(await sim("init", "--out", path)).toEqual({
    code: 2,
    out: "",
    err: `${path}: is there already; --force replaces it`
  })
  expect(await readFile(path, "utf8")).toBe("mine")
  expect(await sim("init", "--out", path, "--force")).toMatchObject({ code: 0 })
  expect(await sim("check", path)).toMatchObject({ code: 0, err: "" })
})

it("[sim.check] names the line of each problem, and a schema file that is missing", async () => {
  const wrong = await written("wrong.yaml", "game: {}\nplayers:\n  dayly: 3\n")
  expect(await sim("check", wrong)).toMatchObject({ code: 2, out: "" })
  const fault = `${wrong}:3:3 players.dayly: no such key; did you mean daily?`
  expect((await sim("check", wrong)).err.split("\n")).toContain(fault)
  const example = join(examples, "sim/arena.yaml")
  const moved = await written("arena.yaml", await readFile(example, "utf8"))
  expect(await sim("check", moved)).toMatchObject({
    code: 2,
    err: `${moved}: game.schema: there is no file ../arena/schema.ts`
  })
  expect(await sim("check", example)).toMatchObject({ code: 0, err: "" })
})

it("[sim.init] says which schema to name, and that a file does not load", async () => {
  const schema = (type: string) => `defineSchema({ type: "${type}" })`
  const two = await written(
    "two.ts",
    `import { defineSchema } from "@atrium/sdk/schema"
      export const a = ${schema("a")}
      export const b = ${schema("b")}`
  )
  expect(await sim("init", two)).toEqual({
    code: 2,
    out: "",
    err: `${two}: declares several room types; say one with --type: a, b`
  })
  expect(await sim("init", two, "--type", "b")).toMatchObject({ code: 0, err: "" })
  const none = await written("none.ts", "export const a = 1")
  expect(await sim("init", none)).toMatchObject({ code: 2, out: "" })
  const bad = await written("bad.ts", "throw new Error('on its way')")
  expect(await sim("init", bad)).toEqual({
    code: 1,
    out: "",
    err: `${bad}: the bundle does not load: Error: on its way`
  })
})

const quick = ["--runs", "1", "--what-if", "players.daily=100", "--what-if", "events=[]"]

it("[sim.plan] --json prints one document, the same for the same seed", async () => {
  const example = join(examples, "sim/party.yaml")
  const first = await sim("plan", example, "--seed", "7", "--json", ...quick)
  expect(first).toMatchObject({ code: 0, err: "" })
  const document = JSON.parse(first.out)
  expect(document).toMatchObject({ version: 1, scenario: "party.yaml", seed: 7, runs: 1 })
  expect(await sim("plan", example, "--seed", "7", "--json", ...quick)).toEqual(first)
  const june = await sim("plan", example, "--month", "2026-06", "--json", ...quick)
  expect(JSON.parse(june.out).period).toMatchObject({ from: "2026-06-01T00:00:00Z", days: 30 })
})

it("[sim.plan] each example is a plan", async () => {
  for (const name of ["arena", "cards", "party"]) {
    const { code, out, err } = await sim("plan", join(examples, `sim/${name}.yaml`), ...quick)
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(out).toContain("THE ANSWER\n  Machines   ")
  }
})

it("[sim.plan] names what is wrong: the file, a change, the runs, the calibration, the machine", async () => {
  const example = join(examples, "sim/party.yaml")
  expect(await sim("plan", "nowhere.yaml")).toMatchObject({ code: 2, out: "" })
  const wrong = await sim("plan", example, "--what-if", "players.dayly=3")
  expect(wrong).toEqual({
    code: 2,
    out: "",
    err: `${example} with players.dayly=3: players.dayly: no such key; did you mean daily?`
  })
  for (const runs of ["0", "201"]) {
    const bad = await sim("plan", example, "--runs", runs)
    expect(bad).toMatchObject({ code: 2, err: "--runs must be a whole number from 1 to 200" })
  }
  const calibration = await written("calibration.json", "{}")
  const none = await sim("plan", example, "--calibration", calibration)
  expect(none).toMatchObject({ code: 2, out: "" })
  expect(none.err).toContain("machine")
  const small = await sim("plan", example, "--what-if", "fleet.runner.memory=100MB")
  expect(small).toMatchObject({
    code: 2,
    err: "fleet: a machine has nothing left of memory beside its headroom and an idle runner"
  })
})

it("[sim.plan] a signal ends a plan, and its report is about the days that it has", async () => {
  let asked = false
  const stopping = {
    erase: () => {},
    show: ({ done }: PlanProgress) => {
      if (!asked && done > 0) asked = process.emit("SIGHUP")
    }
  }
  const plan = ["plan", join(examples, "sim/party.yaml"), "--runs", "200", "--json"]
  const running = Effect.provideService(runSimulate(plan), ProgressScreen, stopping)
  const { code, out, err } = await printedBy(running)
  expect({ code, err, asked }).toEqual({ code: 0, err: "", asked: true })
  const { runs, period } = JSON.parse(out)
  expect(runs).toBe(0)
  expect(period.plannedDays).toBeGreaterThan(0)
  expect(period.plannedDays).toBeLessThan(period.days)
})

it("[sim.plan] --check ends with 1 when a cap is reached, with the report all the same", async () => {
  const example = join(examples, "sim/party.yaml")
  const walls = ["--what-if", "plan.caps.roomHours=10"]
  const broken = await sim("plan", example, "--check", ...quick, ...walls)
  expect(broken).toMatchObject({ code: 1, err: "broken: caps" })
  expect(broken.out).toMatch(/^ +caps +BROKEN +no wall +roomHours/m)
  expect(await sim("plan", example, "--check", ...quick)).toMatchObject({ code: 0, err: "" })
})

it("[sim.plan] --out writes the report as a page, pictures and tables", async () => {
  const out = join(folder, "report")
  const { code } = await sim("plan", join(examples, "sim/cards.yaml"), "--out", out, ...quick)
  expect(code).toBe(0)
  const hours = (await readFile(join(out, "hours.csv"), "utf8")).split("\n")
  expect(hours).toHaveLength(1 + 31 * 24 + 1)
  expect(hours[1]).toMatch(/^2026-12-01T00:00:00.000Z,/)
  expect(JSON.parse(await readFile(join(out, "report.json"), "utf8"))).toMatchObject({ version: 1 })
  const files = "caps.svg hours.csv index.html influences.svg machines.svg meters.csv players.svg"
  expect((await readdir(out)).toSorted()).toEqual(`${files} refusals.csv report.json`.split(" "))
})

it("[sim.init] a command that nobody knows is wrong use", async () => {
  expect(await sim("int")).toMatchObject({ code: 2, out: "" })
})

const loadable = (load: object) =>
  JSON.stringify({
    game: { patchBytes: 420, up: { hz: 20, bytes: 24 }, stateBytes: "64KB" },
    players: { daily: 80_000 },
    session: { minutes: 18 },
    fleet: { runner: { cores: 8, memory: "32GB" }, postgres: { writesPerSecond: 3000 } },
    load
  })
const load = (path: string, ...argv: ReadonlyArray<string>) =>
  sim("load", path, "--url", "ws://127.0.0.1:9", ...argv)
const untyped = "--type: say the type of the relay rooms, as the scenario has no game.schema"

it("[limits.sim] a load has at most so many players, of so many times the scenario's, for so long", async () => {
  const of = (target: number, duration = "1m") =>
    written(`${target}.yaml`, loadable({ stages: [{ duration, target }] }))
  const { players, scale } = LoadLimits
  expect(await load(await of(players.max))).toMatchObject({ code: 2, err: untyped })
  expect(await load(await of(players.max + 1))).toMatchObject({
    code: 2,
    err: "--scale: 10001 players at once, and one process has at most 10000: try --scale 0.99"
  })
  const one = await of(1)
  expect(await load(one, "--scale", `${scale.max}`)).toMatchObject({ code: 2, err: untyped })
  for (const wrong of [`${scale.max + 0.1}`, "0", "-1", "all"]) {
    const { code, err } = await load(one, "--scale", wrong)
    expect({ code, names: err.includes("a number above 0, at most 100") }).toEqual({
      code: 2,
      names: true
    })
  }
  expect(await load(one, "--for", "24h")).toMatchObject({ code: 2, err: untyped })
  expect(await load(one, "--for", "86401s")).toMatchObject({
    code: 2,
    err: "--for: a run lasts at most 86400 s, not 86401 s"
  })
})

it("[sim.load.target] a load goes nowhere else than to a host that is named twice", async () => {
  const path = await written("one.yaml", loadable({ stages: [{ duration: "1s", target: 1 }] }))
  expect(await sim("load", path, "--url", "wss://game.example")).toEqual({
    code: 2,
    out: "",
    err: "game.example is another machine: if it is yours to load, name it again: --i-may-load game.example"
  })
})
