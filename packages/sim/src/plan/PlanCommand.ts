import { basename, join } from "node:path"
import { setImmediate } from "node:timers/promises"

import { Clock, Console, Effect, FileSystem, Option, Result, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"

import { Calibration } from "../calibration/Calibration.ts"
import { defaultCalibration } from "../calibration/DefaultCalibration.ts"
import { readScenario } from "../scenario/ScenarioText.ts"
import { misused, refused } from "../SimulateFailure.ts"
import { stopAsked } from "../StopAsked.ts"
import { usableOf } from "./Machines.ts"
import { type PlanOutcome, type PlanProgress, planning } from "./Plan.ts"
import { PlanLimits } from "./PlanLimits.ts"
import type { Planned } from "./PlanRuns.ts"
import { ProgressScreen } from "./ProgressScreen.ts"
import { csvFiles } from "./report/CsvFiles.ts"
import { makeReport } from "./report/MakeReport.ts"
import { pageOf } from "./report/Page.ts"
import { PlanReport } from "./report/PlanReport.ts"
import { terminalReport } from "./report/TerminalReport.ts"
import { changedText } from "./WhatIf.ts"

const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

const flag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(
    Flag.withDescription(description),
    Flag.withoutNegation,
    Flag.withDefault(false)
  )

/** `atrium sim plan`. */
export const plan = Command.make(
  "plan",
  {
    scenario: Argument.String("scenario").pipe(
      Argument.withDescription("The scenario: a YAML or JSON file")
    ),
    calibration: text("calibration", "What `atrium sim calibrate` has measured: a JSON file"),
    month: text("month", "The month to plan, such as 2026-12; it wins over that of the file"),
    seed: Flag.Int("seed").pipe(
      Flag.withDescription("The same seed and file give the same answer, on any day"),
      Flag.withDefault(1)
    ),
    runs: Flag.Int("runs").pipe(
      Flag.withDescription("How often the month is played, each time with other players"),
      Flag.withDefault(20)
    ),
    whatIf: Flag.String("what-if").pipe(
      Flag.withDescription("Changes a value of the scenario, such as players.daily=160000"),
      Flag.atLeast(0)
    ),
    out: text("out", "Folder for the report as a web page, pictures and tables"),
    json: flag("json", "Print the report as one JSON document"),
    check: flag("check", "End with 1 when a promise of `slo` or a cap of the scenario is broken")
  },
  Effect.fn("atrium.sim.plan")(function* (input) {
    const { runs, seed, whatIf } = input
    if (runs < 1 || runs > PlanLimits.runs.max) {
      return yield* misused(`--runs must be a whole number from 1 to ${PlanLimits.runs.max}`)
    }
    const month = Option.toArray(input.month).map((each) => `plan.month=${each}`)
    const scenario = yield* scenarioOf(input.scenario, [...whatIf, ...month])
    const file = Option.getOrNull(input.calibration)
    const calibration = file === null ? defaultCalibration : yield* calibrationOf(file)
    const planned: Planned = { scenario, calibration, seed }
    yield* enough(planned)
    const outcome = yield* played(planned, runs)
    if (outcome === null) return yield* refused("stopped before the first day was over")
    const report = makeReport(planned, outcome, {
      name: basename(input.scenario),
      whatIf,
      isDefaultCalibration: file === null
    })
    const out = Option.getOrNull(input.out)
    const text = terminalReport(report, scenario)
    if (out !== null) yield* written(out, { report, planned, text })
    yield* Console.log(input.json ? JSON.stringify(encode(report)) : text)
    if (input.check && !report.kept) {
      const broken = report.promises.filter(({ kept }) => !kept).map(({ name }) => name)
      return yield* refused(`broken: ${broken.join(", ")}`)
    }
  })
).pipe(
  Command.withDescription("How many machines, which limit comes first, what the month costs"),
  Command.withExamples([
    { command: "atrium sim plan scenario.yaml" },
    { command: "atrium sim plan scenario.yaml --what-if players.daily=160000 --out report" }
  ])
)

const encode = Schema.encodeSync(PlanReport)

const readText = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  return yield* Effect.mapError(fs.readFileString(path), ({ message }) =>
    misused(`${path}: ${message}`)
  )
})

const scenarioOf = Effect.fnUntraced(function* (path: string, changes: ReadonlyArray<string>) {
  let text = yield* readText(path)
  let from = path
  for (const change of changes) {
    const changed = changedText(text, change)
    if (Result.isFailure(changed)) return yield* misused(changed.failure)
    text = changed.success
    from = `${path} with ${change}`
  }
  const read = readScenario(text)
  if (Result.isSuccess(read)) return read.success
  const problems = read.failure.map((each) =>
    changes.length === 0
      ? `${path}:${each.line}:${each.column} ${each.text}`
      : `${from}: ${each.text}`
  )
  return yield* misused(problems.join("\n"))
})

const decodeCalibration = Schema.decodeUnknownEffect(Schema.fromJsonString(Calibration), {
  errors: "all",
  onExcessProperty: "error"
})

const calibrationOf = Effect.fnUntraced(function* (path: string) {
  const text = yield* readText(path)
  return yield* Effect.mapError(decodeCalibration(text), ({ message }) =>
    misused(`${path}: is no calibration: ${message}`)
  )
})

/** A machine that an idle runner fills can hold nothing. */
const enough = Effect.fnUntraced(function* (planned: Planned) {
  const usable = usableOf(planned)
  const none = (["cpu", "serviceThread", "memory"] as const).filter((name) => usable[name] <= 0)
  if (none.length === 0) return
  return yield* misused(
    `fleet: a machine has nothing left of ${none.join(", ")} beside its headroom and an idle runner`
  )
})

interface Written {
  readonly report: PlanReport
  readonly planned: Planned
  readonly text: string
}

const written = Effect.fnUntraced(function* (folder: string, { report, planned, text }: Written) {
  const fs = yield* FileSystem.FileSystem
  const failed = ({ message }: { readonly message: string }) => misused(`${folder}: ${message}`)
  yield* Effect.mapError(fs.makeDirectory(folder, { recursive: true }), failed)
  // What draws takes a while to load, and is wanted here alone.
  const { planPlots } = yield* Effect.promise(() => import("./report/Plots.ts"))
  const plots = planPlots(report, planned)
  const files: ReadonlyArray<readonly [string, string]> = [
    ["index.html", pageOf(report, { plots, text })],
    ["report.json", `${JSON.stringify(encode(report))}\n`],
    ...csvFiles(report),
    ...plots.map(({ name, svg }) => [`${name}.svg`, `${svg}\n`] as const)
  ]
  for (const [name, content] of files) {
    yield* Effect.mapError(fs.writeFileString(join(folder, name), content), failed)
  }
  yield* Console.error(`${folder}: written: ${files.map(([name]) => name).join(", ")}`)
})

/** Plays all runs; the first signal ends them, and what was played is the plan. */
const played = Effect.fnUntraced(function* (planned: Planned, runs: number) {
  const stop = { asked: false }
  const listening = Effect.map(stopAsked, () => {
    stop.asked = true
  })
  yield* Effect.forkScoped(listening, { startImmediately: true })
  return yield* playing(planning(planned, runs), stop)
}, Effect.scoped)

const playing = Effect.fnUntraced(function* (
  going: Generator<PlanProgress, PlanOutcome | null, boolean>,
  stop: { readonly asked: boolean }
) {
  const screen = yield* ProgressScreen
  const startMs = yield* Clock.currentTimeMillis
  let step = going.next()
  while (step.done !== true) {
    const tookMs = (yield* Clock.currentTimeMillis) - startMs
    screen.show(step.value, tookMs)
    // Signals come between turns of the event loop.
    yield* Effect.promise(() => setImmediate())
    step = going.next(!stop.asked)
  }
  screen.erase()
  return step.value
})
