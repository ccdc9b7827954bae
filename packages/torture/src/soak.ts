import { randomInt } from "node:crypto"

import { descendantsOf } from "@atrium/api/testing/ProcessTree"
import { endBundler } from "@atrium/sdk/bundle"

import { cyclesReport, runCycles } from "./soak/Cycles.ts"
import { killsReport, runKills } from "./soak/Kills.ts"
import { readSoakArguments, type SoakArguments, usage } from "./soak/SoakArguments.ts"

// npm run soak: a real service is used up and killed for a while; then it must be as if nothing was.

const roundMs = 30_000
const toldMax = 20

const say = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

/** Says what was found, and answers whether it is nothing. */
const judged = (faults: ReadonlyArray<string>, again: string): boolean => {
  for (const fault of faults.slice(0, toldMax)) say(`  FAULT ${fault}`)
  if (faults.length > toldMax) say(`  and ${faults.length - toldMax} more`)
  if (faults.length > 0) say(`  again: ${again}`)
  return faults.length === 0
}

const soakCycles = async (wanted: NonNullable<SoakArguments["cycles"]>): Promise<boolean> => {
  say(`cycles: ${wanted.cycles} of join, leave, hibernate, wake in ${wanted.workers} rooms`)
  const { cycles, workers } = wanted
  const faults = await runCycles({ ...wanted, say }).then(
    (result) => {
      for (const line of cyclesReport(result)) say(`  ${line}`)
      return result.faults
    },
    (error: unknown) => [String(error)]
  )
  return judged(faults, `npm run soak -- --only cycles --cycles ${cycles} --workers ${workers}`)
}

const soakKills = async ({
  minutes,
  seed
}: NonNullable<SoakArguments["kills"]>): Promise<boolean> => {
  const rounds = Math.max(1, Math.round((minutes * 60_000) / roundMs))
  say(`kills: ${rounds} rounds of play with faults, seed ${seed}`)
  const faults = await runKills({ seed, rounds, roundMs, say }).then(
    (result) => {
      for (const line of killsReport(result)) say(`  ${line}`)
      const broken = result.violations.map(
        ({ rule, roomId, what }) => `${rule} in ${roomId}: ${what}`
      )
      return [...broken, ...result.complaints]
    },
    (error: unknown) => [String(error)]
  )
  return judged(faults, `npm run soak -- --only kills --minutes ${minutes} --seed ${seed}`)
}

const soak = async (wanted: SoakArguments): Promise<void> => {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      for (const pid of descendantsOf(process.pid)) process.kill(pid, "SIGKILL")
      process.exit(1)
    })
  }
  const parts = [
    ...(wanted.cycles === null ? [] : [await soakCycles(wanted.cycles)]),
    ...(wanted.kills === null ? [] : [await soakKills(wanted.kills)])
  ]
  await endBundler()
  const passed = parts.every((part) => part)
  say(passed ? "soak: passed" : "soak: FAILED")
  if (!passed) process.exitCode = 1
}

const wanted = readSoakArguments(process.argv.slice(2), randomInt(2 ** 32))
if (typeof wanted === "string") {
  process.stderr.write(`${wanted}\n\n${usage}\n`)
  process.exitCode = 2
} else await soak(wanted)
