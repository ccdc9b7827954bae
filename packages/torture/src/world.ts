import { randomInt } from "node:crypto"

import { Coverage } from "./world/Coverage.ts"
import { coverageLines, findingLines } from "./world/Report.ts"
import { readSimArguments, type SimArguments, usage } from "./world/SimArguments.ts"
import { simulate } from "./world/Simulation.ts"

// npm run torture -- world: the machines of the service in virtual time, with everything that can go wrong.

const toldEvery = 500
const findingsMax = 3
const interruptedCode = 130

const say = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

const run = async ({ seed: first, seeds, steps, only }: SimArguments): Promise<void> => {
  const startedAt = performance.now()
  const coverage = new Coverage()
  const promises = { writes: 0, deletions: 0, settings: 0, restores: 0 }
  let findings = 0
  let lived = 0
  let interrupted = false
  process.once("SIGINT", () => (interrupted = true))
  say(`seeds from ${first}, ${seeds} of them, ${only?.size ?? steps} steps each`)
  for (let seed = first; lived < seeds && findings < findingsMax && !interrupted; seed++) {
    const plan = { seed, steps, only }
    const lives = simulate(plan)
    lived++
    coverage.add(lives.coverage)
    promises.writes += lives.promises.writes
    promises.deletions += lives.promises.deletions
    promises.settings += lives.promises.settings
    promises.restores += lives.promises.restores
    if (lives.finding !== null) {
      findings++
      for (const line of findingLines(plan, lives.finding.rule)) say(line)
    }
    if (lived % toldEvery === 0) say(`  ${lived} of ${seeds}, ${findings} faults`)
    // A signal is heard between two worlds.
    await new Promise((resolve) => setImmediate(resolve))
  }
  for (const line of coverageLines(coverage)) say(line)
  say(
    `  held: ${promises.writes} acknowledged writes, ${promises.deletions} deletions, ${promises.settings} settings, ${promises.restores} restores`
  )
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  const verdict = findings > 0 ? "FAILED" : interrupted ? "interrupted" : "passed"
  say(`sim: ${lived} worlds in ${seconds} s, ${findings} faults: ${verdict}`)
  if (findings > 0) process.exitCode = 1
  else if (interrupted) process.exitCode = interruptedCode
}

const wanted = readSimArguments(process.argv.slice(2), randomInt(2 ** 31 - 1_000_000))
if (typeof wanted === "string") {
  process.stderr.write(`${wanted}\n\n${usage}\n`)
  process.exitCode = 2
} else await run(wanted)
