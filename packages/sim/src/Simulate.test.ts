import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer } from "effect"
import { TestConsole } from "effect/testing"
import { afterAll, beforeAll, expect, it } from "vitest"

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
  for (const name of ["plan", "load", "calibrate", "validate"]) {
    expect(await sim(name, "scenario.yaml", "--seed", "1")).toEqual({
      code: 2,
      out: "",
      err: `atrium sim ${name} is not built yet; init, check and --json-schema are`
    })
  }
  expect(await sim("int")).toMatchObject({ code: 2, out: "" })
})
