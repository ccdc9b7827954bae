import { readFile, mkdtemp, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"

import { schemaHash } from "@atrium/sdk/schema"
import { Effect, Result } from "effect"
import { expect, test } from "vitest"

import { gameSchema } from "../init/GameSchema.ts"
import { mostOf } from "../load/LoadPlan.ts"
import { readScenario } from "../scenario/ScenarioText.ts"
import { validatedPlan } from "./MeasuredTaken.ts"
import { validatedRoom, validatedSchema } from "./ValidatedGame.ts"
import { ValidateLimits } from "./ValidateLimits.ts"

const repository = join(import.meta.dirname, "../../../..")
const examples = ["manySmallRooms", "fewLargeRooms", "flashCrowd"] as const
const scenarioOf = async (name: (typeof examples)[number]) => {
  const path = join(repository, `examples/sim/validate/${name}.yaml`)
  return Result.getOrThrow(readScenario(await readFile(path, "utf8")))
}

test.each(examples)("[sim.validate] players of %s and its rooms have one schema", async (name) => {
  const scenario = await scenarioOf(name)
  const folder = await mkdtemp(join(repository, "node_modules/.atrium-validate-"))
  try {
    const path = join(folder, "room.ts")
    await writeFile(path, validatedRoom(scenario))
    const declared = await Effect.runPromise(gameSchema(path, { shownPath: path, type: null }))
    expect(schemaHash(declared)).toBe(schemaHash(validatedSchema(scenario)))
  } finally {
    await rm(folder, { recursive: true })
  }
})

test("[limits.sim] the examples have at most so many players", async () => {
  for (const name of examples) {
    const most = mostOf(validatedPlan(await scenarioOf(name)))
    expect(Math.round(most)).toBeLessThanOrEqual(ValidateLimits.players.max)
    expect(Math.round(most)).toBeGreaterThan(100)
  }
})
