import { Effect, FileSystem, Result } from "effect"

import { misused } from "../SimulateFailure.ts"
import { readScenario } from "./ScenarioText.ts"

/** The scenario of a file. Fails with every problem of it, each with its place. */
export const scenarioFile = Effect.fn("ScenarioFile.read")(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const written = yield* Effect.mapError(fs.readFileString(path), ({ message }) =>
    misused(`${path}: ${message}`)
  )
  const read = readScenario(written)
  if (Result.isSuccess(read)) return read.success
  const problems = read.failure.map((each) => `${path}:${each.line}:${each.column} ${each.text}`)
  return yield* misused(problems.join("\n"))
})
