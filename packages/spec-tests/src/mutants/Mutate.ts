import { Misused } from "../engine/Settings.ts"
import { wholeSuite } from "../engine/Suite.ts"
import { type Mutant, readMutants } from "./Mutant.ts"
import { openStarted } from "./OpenStarted.ts"
import { type MutantVerdict, runMutants } from "./RunMutants.ts"
import type { StartedProgram } from "./StartByArgv.ts"

/** How an implementation is asked whether the suite sees its faults. */
export interface Mutation {
  /** Files of mutants. */
  readonly folder: string
  /** Ids; none = those of `thorough`. */
  readonly only: ReadonlyArray<string>
  /** All, or only the first of each kind. */
  readonly thorough: boolean
  /** Implementations that run at once. */
  readonly jobs: number
  /** `null` = without a mutant. */
  readonly start: (mutant: string | null) => Promise<StartedProgram>
  readonly print: (line: string) => void
  readonly signal: AbortSignal
}

/** Two cores carry two services. */
export const defaultJobs = 2

/** @returns the exit code: 0 when each is killed by each of its requirements, and none without it. */
export const mutate = async (mutation: Mutation): Promise<number> => {
  const { print, signal, jobs } = mutation
  const mutants = selected(readMutants(mutation.folder), mutation)
  const beganMs = performance.now()
  const verdicts = await runMutants({
    mutants,
    suite: wholeSuite,
    signal,
    jobs,
    start: async (mutant) =>
      openStarted(await mutation.start(mutant), {
        suite: wholeSuite,
        seed: 1,
        strict: true,
        signal
      }),
    onVerdict: (verdict) => print(textOf(verdict))
  })
  const survivors = verdicts.filter(({ mutant, killed }) => mutant !== null && !killed)
  const tookS = Math.round((performance.now() - beganMs) / 1000)
  print(`${mutants.length} mutants, ${survivors.length} not killed, ${tookS} s`)
  if (signal.aborted) return 130
  return verdicts.every(({ killed }) => killed) ? 0 : 1
}

const selected = (
  mutants: ReadonlyArray<Mutant>,
  { only, thorough }: Pick<Mutation, "only" | "thorough">
): ReadonlyArray<Mutant> => {
  const unknown = only.filter((id) => !mutants.some((mutant) => mutant.id === id))
  if (unknown.length > 0) throw new Misused(`no mutant is ${unknown.join(", ")}`)
  return only.length === 0
    ? mutants.filter(({ more }) => thorough || more !== true)
    : mutants.filter(({ id }) => only.includes(id))
}

const textOf = ({ mutant, killed, faults, tookMs }: MutantVerdict): string => {
  const took = `${(tookMs / 1000).toFixed(1)} s`
  const name = mutant === null ? "(without a mutant)" : `${mutant.id} ${mutant.why}`
  const verdict = mutant === null ? (killed ? "passes" : "FAILS") : killed ? "killed" : "SURVIVED"
  return [`${verdict.padEnd(8)} ${took.padStart(6)}  ${name}`, ...faults.map(indented)].join("\n")
}

const indented = (line: string): string => `           ${line}`
