import { randomInt } from "node:crypto"

import { wholeFlag } from "@atrium/api/testing/ToolCommand"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"

import { Batch } from "./world/ManyWorlds.ts"
import { coverageLines, findingLines } from "./world/Report.ts"
import { simulate } from "./world/Simulation.ts"

const toldEvery = 500
const findingsMax = 3
const interruptedCode = 130

const say = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

interface WorldInput {
  readonly seed: number
  readonly seeds: number
  readonly steps: number
  /** The steps that are taken; `null` = all. */
  readonly only: ReadonlySet<number> | null
}

const run = async ({ seed: first, seeds, steps, only }: WorldInput): Promise<void> => {
  const startedAt = performance.now()
  const batch = new Batch()
  let findings = 0
  let lived = 0
  let interrupted = false
  process.once("SIGINT", () => (interrupted = true))
  say(`seeds from ${first}, ${seeds} of them, ${only?.size ?? steps} steps each`)
  for (let seed = first; lived < seeds && findings < findingsMax && !interrupted; seed++) {
    const plan = { seed, steps, only }
    const lives = simulate(plan)
    lived++
    batch.add(lives)
    if (lives.finding !== null) {
      findings++
      for (const line of findingLines(plan, lives.finding.rule)) say(line)
    }
    if (lived % toldEvery === 0) say(`  ${lived} of ${seeds}, ${findings} faults`)
    // A signal is heard between two worlds.
    await new Promise((resolve) => setImmediate(resolve))
  }
  for (const line of coverageLines(batch.coverage)) say(line)
  const promises = batch.made
  say(
    `  held: ${promises.writes} acknowledged writes, ${promises.deletions} deletions, ${promises.settings} settings, ${promises.restores} restores, ${promises.spared} ends by neighbours`
  )
  say(
    `  and: ${promises.words} words in KV, ${promises.scores} scores, ${promises.games} rated games, ${promises.matched} matched tickets, ${promises.talked} participants of calls`
  )
  say(
    `  and: ${promises.led} states led on by migrations, ${promises.chained} of them by several, ${promises.ledBack} back, ${promises.discarded} given up, ${promises.stayed} stayed`
  )
  say(`  history ${batch.hash}`)
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  const verdict = findings > 0 ? "FAILED" : interrupted ? "interrupted" : "passed"
  say(`sim: ${lived} worlds in ${seconds} s, ${findings} faults: ${verdict}`)
  if (findings > 0) process.exitCode = 1
  else if (interrupted) process.exitCode = interruptedCode
}

/** Worlds when no seed is named. */
const seedsFresh = 200

const stepsIn = (text: string): Option.Option<ReadonlySet<number>> =>
  /^\d{1,10}(?:,\d{1,10})*$/.test(text)
    ? Option.some(new Set(text.split(",").map(Number)))
    : Option.none()

/** `npm run torture -- world`: the actors of the service in virtual time, with all that goes wrong. */
export const world = Command.make(
  "world",
  {
    seed: wholeFlag("seed", { least: 0, most: 2 ** 31 - 1 }).pipe(
      Flag.withDescription("The first world; default: a fresh one"),
      Flag.optional
    ),
    seeds: wholeFlag("seeds", { least: 1, most: 10_000_000 }).pipe(
      Flag.withDescription(`Worlds (1 with --seed, ${seedsFresh} without)`),
      Flag.optional
    ),
    steps: wholeFlag("steps", { least: 0, most: 100_000 }).pipe(
      Flag.withDescription("Steps of each world (120)"),
      Flag.withDefault(120)
    ),
    only: Flag.String("only").pipe(
      Flag.filterMap(stepsIn, () => "Expected numbers of steps with commas between"),
      Flag.withDescription("These steps alone, as a finding names them: N,N,…"),
      Flag.optional
    )
  },
  ({ seed, seeds, steps, only }) =>
    Effect.promise(() =>
      run({
        seed: Option.getOrElse(seed, () => randomInt(2 ** 31 - 1_000_000)),
        seeds: Option.getOrElse(seeds, () => (Option.isSome(seed) ? 1 : seedsFresh)),
        steps,
        only: Option.getOrNull(only)
      })
    )
).pipe(Command.withDescription("Live through worlds of rooms, servers and clients in virtual time"))
