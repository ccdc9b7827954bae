import { randomInt } from "node:crypto"

import { Misused, wholeFlag } from "@atrium/api/testing/ToolCommand"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"

import { type FuzzPlan, planOf, RequestsDefault } from "./fuzz/FuzzPlan.ts"
import { askAll, fuzz as fuzzAll, replay } from "./fuzz/FuzzRun.ts"
import { Parts, Tally } from "./fuzz/Tally.ts"

const say = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

const fuzzWith = async (plan: FuzzPlan): Promise<void> => {
  const startedAt = performance.now()
  const tally = new Tally()
  say(`seed ${plan.seed}`)
  const run = { plan, tally, say }
  const { only } = plan
  let problems: ReadonlyArray<string> = []
  if (only === null) problems = await fuzzAll(run)
  else if (only.index === null) problems = await askAll(run)
  else await replay(run, only.part, only.index)
  for (const line of tally.lines()) say(line)
  for (const problem of problems) say(`FAULT ${problem}`)
  for (const { part, index, says } of tally.faults) {
    say(`FAULT ${says}`)
    say(`  again: npm run fuzz -- --seed ${plan.seed} --only ${part} --case ${index}`)
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
  const faults = problems.length + tally.faults.length
  say(
    `${tally.frames} frames in ${seconds} s, seed ${plan.seed}: ${faults === 0 ? "passed" : "FAILED"}`
  )
  process.exitCode = faults === 0 ? 0 : 1
}

const seedMax = 2 ** 31
const countMax = 10_000_000_000

/** A count: a whole number with a usual value. */
const count = (name: string, usual: number, what: string) =>
  wholeFlag(name, { least: 0, most: countMax }).pipe(
    Flag.withDescription(`${what} (${usual})`),
    Flag.withDefault(usual)
  )

/** `npm run fuzz`: hostile frames and HTTP requests, each of which can be done again by its number. */
export const fuzz = Command.make(
  "fuzz",
  {
    seed: wholeFlag("seed", { least: 0, most: countMax }).pipe(
      Flag.withDescription("Where all chance comes from; default: a fresh one"),
      Flag.withDefault(Effect.sync(() => randomInt(seedMax)))
    ),
    frames: count("frames", 1_000_000, "Frames in all"),
    requests: count("requests", RequestsDefault, "HTTP requests"),
    seconds: count("seconds", 540, "Ends earlier when that time is over"),
    only: Flag.Literals("only", Parts).pipe(
      Flag.withDescription("With --case: one case again; http alone: all requests, nothing else"),
      Flag.optional
    ),
    case: wholeFlag("case", { least: 0, most: countMax }).pipe(
      Flag.withDescription("The number of that case"),
      Flag.optional
    )
  },
  Effect.fnUntraced(function* ({ only, case: asked, ...size }) {
    const part = Option.getOrNull(only)
    const index = Option.getOrNull(asked)
    if (index === null && part !== null && part !== "http") {
      return yield* new Misused({ message: "--only needs --case" })
    }
    const plan = { ...planOf(size), only: part === null ? null : { part, index } }
    yield* Effect.promise(() => fuzzWith(plan))
  })
).pipe(Command.withDescription("Send a million hostile frames and HTTP requests"))
