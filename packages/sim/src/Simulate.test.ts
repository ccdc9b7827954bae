import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer } from "effect"
import { TestConsole } from "effect/testing"
import { afterAll, beforeAll, expect, it } from "vitest"

import { LoadLimits } from "./load/LoadLimits.ts"
import { runSimulate } from "./Simulate.ts"

const examples = join(import.meta.dirname, "../../../examples")
let folder = ""

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "atrium-sim-")))
})
afterAll(() => rm(folder, { recursive: true }))

/** Runs one command line in this process. */
const sim = (...argv: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const code = yield* runSimulate(argv)
    const [out, err] = [yield* TestConsole.logLines, yield* TestConsole.errorLines]
    return { code, out: out.join("\n"), err: err.join("\n") }
  }).pipe(Effect.provide(Layer.merge(NodeServices.layer, TestConsole.layer)), Effect.runPromise)

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

it("[sim.unbuilt] a command that is not built yet says so", async () => {
  for (const name of ["plan", "validate"]) {
    expect(await sim(name, "scenario.yaml", "--seed", "1")).toEqual({
      code: 2,
      out: "",
      err: `atrium sim ${name} is not built yet; init, check, load, calibrate and --json-schema are`
    })
  }
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
