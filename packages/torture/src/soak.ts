import { randomInt } from "node:crypto"

import { descendantsOf } from "@atrium/api/testing/ProcessTree"
import { numberFlag, wholeFlag } from "@atrium/api/testing/ToolCommand"
import { endBundler } from "@atrium/sdk/bundle"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"

import { cyclesReport, runCycles } from "./soak/Cycles.ts"
import { killsReport, runKills } from "./soak/Kills.ts"

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

interface Cycles {
  readonly cycles: number
  readonly workers: number
}

const soakCycles = async (wanted: Cycles): Promise<boolean> => {
  say(`cycles: ${wanted.cycles} of join, leave, hibernate, wake in ${wanted.workers} rooms`)
  const { cycles, workers } = wanted
  const faults = await runCycles({ cycles, workers, say }).then(
    (result) => {
      for (const line of cyclesReport(result)) say(`  ${line}`)
      return result.faults
    },
    (error: unknown) => [String(error)]
  )
  return judged(faults, `npm run soak -- --only cycles --cycles ${cycles} --workers ${workers}`)
}

interface Kills {
  readonly minutes: number
  readonly seed: number
}

const soakKills = async ({ minutes, seed }: Kills): Promise<boolean> => {
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

interface SoakInput extends Cycles, Kills {
  readonly only: Option.Option<"cycles" | "kills">
}

const soakWith = async ({ only, ...wanted }: SoakInput): Promise<void> => {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      for (const pid of descendantsOf(process.pid)) process.kill(pid, "SIGKILL")
      process.exit(1)
    })
  }
  const part = Option.getOrNull(only)
  const parts = [
    ...(part === "kills" ? [] : [await soakCycles(wanted)]),
    ...(part === "cycles" ? [] : [await soakKills(wanted)])
  ]
  await endBundler()
  const passed = parts.every((each) => each)
  say(passed ? "soak: passed" : "soak: FAILED")
  if (!passed) process.exitCode = 1
}

const seedMax = 2 ** 32 - 1

/** `npm run soak`: a real service is used up and killed for a while; then it must be as if nothing was. */
export const soak = Command.make(
  "soak",
  {
    only: Flag.Literals("only", ["cycles", "kills"]).pipe(
      Flag.withDescription("One part instead of both"),
      Flag.optional
    ),
    cycles: wholeFlag("cycles", { least: 1, most: 10_000_000 }).pipe(
      Flag.withDescription("Times that a room is joined, left, put to sleep and woken (10000)"),
      Flag.withDefault(10_000)
    ),
    workers: wholeFlag("workers", { least: 1, most: 20 }).pipe(
      Flag.withDescription("Rooms of these cycles (16)"),
      Flag.withDefault(16)
    ),
    minutes: numberFlag("minutes", { least: 0.1, most: 10_000 }).pipe(
      Flag.withDescription("Length of the play with faults (3)"),
      Flag.withDefault(3)
    ),
    seed: wholeFlag("seed", { least: 0, most: seedMax }).pipe(
      Flag.withDescription("Plans the faults; default: a fresh one"),
      Flag.withDefault(Effect.sync(() => randomInt(seedMax)))
    )
  },
  (input) => Effect.promise(() => soakWith(input))
).pipe(Command.withDescription("Use up and kill a real service; then look for traces"))
