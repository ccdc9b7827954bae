import { join } from "node:path"

import { Command } from "effect/cli"

import packageJson from "../../package.json" with { type: "json" }
import { defaultJobs } from "../engine/RunChecks.ts"
import { type SuiteRun, runSuite } from "../engine/RunSuite.ts"
import { type Tier, meaningless } from "../engine/Selection.ts"
import { Misused, codecsOf, readBaseline, settings } from "../engine/Settings.ts"
import { type Suite, wholeSuite } from "../engine/Suite.ts"
import { frozenSets } from "../report/FrozenSet.ts"
import { ProgressLine } from "../report/ProgressLine.ts"
import { codeOf } from "../report/Report.ts"
import { ReportFile } from "../report/ReportFile.ts"
import type { ReportLine } from "../report/ReportLine.ts"
import { writeReports } from "../report/WriteReports.ts"
import { openWorld } from "../trial/World.ts"
import { endingWith, interruptible } from "./CommandEnd.ts"
import {
  type ReportKind,
  implementation,
  judging,
  reporting,
  reportsOf,
  running,
  selection
} from "./SuiteFlags.ts"

/** `spec-tests run`: asks an implementation all that is selected, and says what became of it. */
export const run = Command.make(
  "run",
  { ...implementation, ...selection, ...judging, ...running, ...reporting },
  (input) =>
    endingWith(() => interruptible((signal) => runWith(input, { suite: wholeSuite, signal })))
).pipe(
  Command.withDescription("Ask an implementation, and say where it stands"),
  Command.withExamples([
    { command: "spec-tests run --config conformance.config.json" },
    { command: "spec-tests run --only 'keys.*,auth' --tier A --out reports" }
  ])
)

/** The settings of the command line. */
export interface RunInput {
  readonly config: string | null
  readonly baseUrl: string | null
  readonly router: string | null
  readonly control: string | null
  readonly controlToken: string | null
  readonly only: ReadonlyArray<string>
  readonly skip: ReadonlyArray<string>
  readonly tiers: ReadonlyArray<Tier>
  readonly strict: boolean
  readonly lenient: boolean
  readonly profile: "any" | "ours"
  readonly baseline: string | null
  readonly set: string | null
  readonly jobs: number | null
  readonly patience: number
  readonly seed: number
  readonly replay: string | null
  readonly modelRuns: number | null
  readonly report: ReadonlyArray<ReportKind> | null
  readonly out: string | null
}

/** @returns the exit code. Throws `Misused` before anything is asked. */
const runWith = async (
  input: RunInput,
  { suite, signal }: { readonly suite: Suite; readonly signal: AbortSignal }
): Promise<number> => {
  const fields = headerFields(input, suite)
  const config = settings(givenOf(input))
  const codecs = await codecsOf(config, input.config)
  const world = await openWorld(config, {
    codecs,
    strict: fields.strict,
    patience: input.patience
  })
  const { kinds, folder } = reportsOf(input)
  const file = kinds.includes("json") ? new ReportFile(join(folder, "conformance.jsonl")) : null
  const progress = new ProgressLine(process.stderr)
  try {
    const report = await runSuite({
      suite,
      world,
      header: fields,
      signal,
      jobs: input.jobs ?? defaultJobs,
      replay: input.replay,
      modelRuns: input.modelRuns,
      onLine: (line) => told(line, { file, progress }),
      onProgress: (now) => progress.progress(now)
    })
    progress.end()
    writeReports(report, { kinds, folder })
    return codeOf(report)
  } finally {
    file?.close()
    world.close()
  }
}

const told = (
  line: ReportLine,
  { file, progress }: { readonly file: ReportFile | null; readonly progress: ProgressLine }
): void => {
  file?.write(line)
  if (line.type === "result") progress.result(line.status)
}

/** Where and what the implementation is, as the command line and the environment say. */
export const givenOf = (
  input: Pick<RunInput, "config" | "baseUrl" | "router" | "control" | "controlToken">
) => ({
  file: input.config,
  environment: process.env,
  baseUrl: input.baseUrl,
  routerUrl: input.router,
  controlUrl: input.control,
  controlToken: input.controlToken
})

const headerFields = (input: RunInput, suite: Suite): SuiteRun["header"] => {
  const { only, skip, tiers, profile, seed, set } = input
  const none = meaningless(suite.requirements, [...only, ...skip])
  if (none.length > 0) throw new Misused(`no requirement is ${none.join(", ")}: see \`list\``)
  if (input.strict && input.lenient) throw new Misused("--strict and --lenient are opposites")
  if (set !== null && !frozenSets().includes(set)) {
    throw new Misused(`--set: there are ${frozenSets().join(", ") || "none"}`)
  }
  return {
    suite: packageJson.version,
    seed,
    profile,
    only,
    skip,
    tiers,
    set,
    strict: input.strict || (profile === "ours" && !input.lenient),
    baseline: readBaseline(input.baseline, suite),
    startedAt: new Date().toISOString()
  }
}
