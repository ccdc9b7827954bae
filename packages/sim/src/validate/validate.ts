import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { join, relative } from "node:path"

import { Console, Effect, FileSystem, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"

import { calibrationOf, measured, ownClone, stopped } from "../calibration/calibrate.ts"
import { Calibration } from "../calibration/Calibration.ts"
import { startOwnService } from "../calibration/OwnService.ts"
import { isBottleneck } from "../load/Generator.ts"
import { mostOf } from "../load/LoadPlan.ts"
import type { Scenario } from "../scenario/Scenario.ts"
import { scenarioFile } from "../scenario/ScenarioFile.ts"
import { misused, refused } from "../SimulateFailure.ts"
import { compare } from "./Compared.ts"
import { comparedText, validateLeftOut } from "./ComparedText.ts"
import { measuredTaken, type MeasuredTaken, validatedPlan } from "./MeasuredTaken.ts"
import { plannedTaken } from "./PlannedTaken.ts"
import { validatedRoom } from "./ValidatedGame.ts"
import { ValidateLimits } from "./ValidateLimits.ts"

/** `atrium sim validate`: whether plans are true of this machine. */
export const validate = Command.make(
  "validate",
  {
    scenario: Argument.String("scenario").pipe(
      Argument.withDescription("A small scenario, such as those of examples/sim/validate")
    ),
    calibration: Flag.String("calibration").pipe(
      Flag.withDescription(
        "What `atrium sim calibrate` has measured here; default: it measures first"
      ),
      Flag.optional
    ),
    runs: Flag.Int("runs").pipe(
      Flag.withDescription("How often it is played; the median counts"),
      Flag.filter(
        (runs) => runs >= 1 && runs <= ValidateLimits.runs.max,
        () => `a whole number from 1 to ${ValidateLimits.runs.max}`
      ),
      Flag.withDefault(3)
    ),
    json: Flag.Boolean("json").pipe(
      Flag.withDescription("Print the comparison as one line of JSON"),
      Flag.withDefault(false)
    )
  },
  Effect.fn("atrium.sim.validate")(function* ({ scenario: path, calibration: file, runs, json }) {
    const scenario = yield* scenarioFile(path)
    const most = Math.round(mostOf(validatedPlan(scenario)))
    if (most > ValidateLimits.players.max) {
      return yield* misused(
        `${path}: ${most} players at once, and a validation has at most ${ValidateLimits.players.max}`
      )
    }
    const clone = yield* ownClone
    const given = Option.getOrNull(file)
    const calibration =
      given === null
        ? yield* calibrationOf(yield* Effect.raceFirst(measured(clone, "quick"), stopped), null)
        : yield* readCalibration(given)
    const loads = yield* Effect.raceFirst(loadsOf({ clone, scenario, runs }), stopped)
    const compared = compare(plannedTaken(scenario, calibration), loads)
    yield* Console.log(
      json
        ? JSON.stringify({ scenario: path, compared, loads, leftOut: validateLeftOut })
        : comparedText(compared)
    )
    const wrong = compared.filter(({ kept }) => !kept)
    if (wrong.length > 0) {
      return yield* refused(
        `off by more than a fifth: ${wrong.map(({ resource }) => resource).join(", ")}`
      )
    }
  })
).pipe(Command.withDescription("Play a small scenario and compare what it takes with its plan"))

const decodeCalibration = Schema.decodeUnknownEffect(Schema.fromJsonString(Calibration), {
  onExcessProperty: "error"
})

const readCalibration = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const text = yield* Effect.mapError(fs.readFileString(path), ({ message }) =>
    misused(`${path}: ${message}`)
  )
  return yield* Effect.mapError(decodeCalibration(text), ({ message }) =>
    misused(`${path}: is no calibration: ${message}`)
  )
})

interface Played {
  readonly clone: string
  readonly scenario: Scenario
  readonly runs: number
}

/** Plays the scenario so often, on a service of its own. */
const loadsOf = ({ clone, scenario, runs }: Played) =>
  Effect.acquireUseRelease(
    Effect.promise(() => startOwnService(clone)),
    ({ pid, url, deploy }) =>
      Effect.promise(async () => {
        const project = await withRoomFile(clone, validatedRoom(scenario), deploy)
        const loads: Array<MeasuredTaken> = []
        for (let run = 1; run <= runs; run += 1) {
          process.stderr.write(`load ${run} of ${runs}\n`)
          const load = await measuredTaken(scenario, { pid, url, project }, run)
          loads.push(load)
          if (load.refused > 0) process.stderr.write(`${load.refused} joins were refused\n`)
          if (isBottleneck(load.generator)) {
            process.stderr.write("this process had no time left: its players were slow\n")
          }
        }
        return loads
      }),
    ({ stop }) => Effect.promise(stop)
  )

/** A file below the clone's packages, where the SDK is found. */
const withRoomFile = async (
  clone: string,
  text: string,
  use: (path: string) => Promise<string>
): Promise<string> => {
  const folder = await mkdtemp(join(clone, "node_modules/.atrium-validate-"))
  try {
    const path = join(folder, "room.ts")
    await writeFile(path, text)
    return await use(relative(clone, path))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
