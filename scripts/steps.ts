import { spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"

/** One program of the check, by the name that people call it. */
export interface Step {
  readonly name: string
  readonly command: readonly [string, ...ReadonlyArray<string>]
}

/** Each checker computes the types that it meets: four of them, the default, take a quarter more processor time than two. */
const compile = 'exec "$(effect-tsgo get-exe-path)" --noEmit --checkers 2'

/** What must hold before a commit. Two lanes run side by side, each fastest first. */
const lanes: ReadonlyArray<ReadonlyArray<Step>> = [
  [
    { name: "oxfmt", command: ["oxfmt", "--check"] },
    { name: "oxlint", command: ["oxlint", "--deny-warnings"] },
    { name: "knip", command: ["knip", "--no-progress"] }
  ],
  // The compiler with the rules of effect-tsgo in it: each of them alone computes all types again.
  [{ name: "effect-tsc", command: ["sh", "-c", compile] }]
]

const running = new Set<ChildProcess>()
let ending = false

/** Tells whether somebody asked this program to end. */
export const isEnding = (): boolean => ending

/** Passes the end of this program on to those that it runs, so that nothing stays behind. */
export const endTogether = (): void => {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      ending = true
      process.exitCode = 1
      for (const child of running) child.kill(signal)
    })
  }
}

/** Runs a program to its end; `null` is an end by a signal. Its output goes to `hear`, else to the screen. */
export const run = (
  command: Step["command"],
  hear: ((chunk: Buffer) => void) | null
): Promise<number | null> =>
  new Promise((resolve) => {
    const [program, ...args] = command
    const child = spawn(program, args, {
      stdio: hear === null ? "inherit" : ["ignore", "pipe", "pipe"]
    })
    running.add(child)
    if (hear !== null) {
      child.stdout?.on("data", hear)
      child.stderr?.on("data", hear)
    }
    child.on("error", (cause) => {
      console.error(`${program}: ${cause.message}`)
      resolve(1)
    })
    child.on("close", (code) => {
      running.delete(child)
      resolve(code)
    })
  })

/**
 * Runs the checks: one line each, and the whole output of those that fail.
 *
 * @returns the names of the failed ones
 */
export const runChecks = async (): Promise<ReadonlyArray<string>> =>
  (await Promise.all(lanes.map(runLane))).flat()

const runLane = async (steps: ReadonlyArray<Step>): Promise<ReadonlyArray<string>> => {
  const failed: Array<string> = []
  for (const step of steps) {
    if (ending) break
    const startedMs = performance.now()
    const chunks: Array<Buffer> = []
    const code = await run(step.command, (chunk) => chunks.push(chunk))
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
    console.log(`${code === 0 ? "ok    " : "FAILED"}  ${step.name.padEnd(12)} ${seconds} s`)
    if (code !== 0) {
      process.stdout.write(Buffer.concat(chunks))
      failed.push(step.name)
    }
  }
  return failed
}
