import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"

/** A program that starts an implementation and goes on until it is told to end. */
export interface StartedProgram {
  /** Path of the configuration, which the program wrote as its first line. */
  readonly config: string
  stop(): Promise<void>
}

const startsWithinMs = 60_000
const endsWithinMs = 30_000

/**
 * Runs `argv`, and behind it the id of the mutant if there is one. Its first line on stdout is the
 * path of a configuration of the suite; SIGTERM ends it and whatever it started.
 */
export const startByArgv = async (
  argv: ReadonlyArray<string>,
  mutant: string | null
): Promise<StartedProgram> => {
  const [program = "", ...args] = argv
  const child = spawn(program, [...args, ...(mutant === null ? [] : [mutant])], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  const exit = once(child, "exit")
  exit.catch(() => undefined)
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const kill = setTimeout(() => child.kill("SIGKILL"), endsWithinMs)
    child.kill("SIGTERM")
    await exit
    clearTimeout(kill)
  }
  const lines = createInterface({ input: child.stdout })
  const late = AbortSignal.timeout(startsWithinMs)
  try {
    const [config] = await Promise.race([
      once(lines, "line", { signal: late }),
      exit.then(([code]) => {
        throw new Error(`${program} ended with ${String(code)} before it named a configuration`)
      })
    ])
    return { config: String(config), stop }
  } catch (cause) {
    await stop()
    throw cause
  }
}
