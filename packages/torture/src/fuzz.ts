import { randomInt } from "node:crypto"

import { readPlan, usage } from "./fuzz/FuzzPlan.ts"
import { askAll, fuzz, replay } from "./fuzz/FuzzRun.ts"
import { Tally } from "./fuzz/Tally.ts"

const say = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

const SeedMax = 2 ** 31
const plan = readPlan(process.argv.slice(2), randomInt(SeedMax))
if (plan === null) say(usage)
else if (typeof plan === "string") {
  say(`${plan}\n\n${usage}`)
  process.exitCode = 2
} else {
  const startedAt = performance.now()
  const tally = new Tally()
  say(`seed ${plan.seed}`)
  const run = { plan, tally, say }
  const { only } = plan
  let problems: ReadonlyArray<string> = []
  if (only === null) problems = await fuzz(run)
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
