import { spawn } from "node:child_process"

import { programOf } from "./BuiltPrograms.ts"

const EndsWithinMs = 30_000

/** The service as a child of this process. */
export interface SpawnedService {
  /** `0` = it could not be started. */
  readonly pid: number
  /** The address that its `ready` line names. Errors: `Error` with the output of a service that ended before. */
  readonly ready: Promise<string>
  /** Its exit code; `null` after a signal. */
  readonly ended: Promise<number | null>
  /** It has ended, and so has every process that writes to its output: all of it has been read. */
  readonly closed: Promise<void>
  /** Everything that it has written so far. */
  output(): string
  /** Everything that it has written to standard error so far. */
  errors(): string
  kill(signal: NodeJS.Signals): void
  /** Asks it to drain, and kills a service that hangs. */
  stop(): Promise<void>
}

export interface SpawnOptions {
  /** Its whole environment, but for the path and the cache of compiled code. */
  readonly env: NodeJS.ProcessEnv
  readonly cwd?: string
  /** The program and its arguments; absent = the service, built where the run has built it. */
  readonly command?: ReadonlyArray<string>
  /** Descriptors of this process that the service gets, from its number 3 on. */
  readonly inherits?: ReadonlyArray<number | "ignore">
  /** Gives it a process group of its own, which Ctrl-C at the terminal does not reach. */
  readonly detached?: boolean
}

/** Starts the service, and does not wait for it. */
export const spawnService = (options: SpawnOptions): SpawnedService => {
  const { env, cwd, inherits = [], detached = false } = options
  const [program = "", ...args] = options.command ?? [process.execPath, programOf("service")]
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const child = spawn(program, args, {
    cwd,
    detached,
    stdio: ["ignore", "pipe", "pipe", ...inherits],
    env: { PATH, NODE_COMPILE_CACHE, ...env }
  })
  let [output, errors] = ["", ""]
  const ended = new Promise<number | null>((resolve) => child.on("exit", resolve))
  const closed = new Promise<void>((resolve) => child.on("close", () => resolve()))
  const ready = new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      output += chunk.toString()
      const url = /^ready (http:\S+)$/m.exec(output)?.[1]
      if (url !== undefined) resolve(url)
    }
    child.stdout?.on("data", read)
    child.stderr?.on("data", read)
    child.stderr?.on("data", (chunk: Buffer) => (errors += chunk.toString()))
    child.on("error", reject)
    void ended.then((code) => reject(new Error(`the service ended with ${code}:\n${output}`)))
  })
  // A test of a start that fails does not wait for it.
  ready.catch(() => undefined)
  return {
    pid: child.pid ?? 0,
    ready,
    ended,
    closed,
    output: () => output,
    errors: () => errors,
    kill: (signal) => void child.kill(signal),
    stop: async () => {
      if (child.pid === undefined) return
      // A service that hangs must not hang its test as well.
      const kill = setTimeout(() => child.kill("SIGKILL"), EndsWithinMs)
      child.kill("SIGTERM")
      await ended
      clearTimeout(kill)
    }
  }
}

export interface RefusedStart {
  readonly code: number | null
  readonly errors: string
}

/** A start that is expected to be refused. */
export const refusedStart = async (
  env: Readonly<Record<string, string>>
): Promise<RefusedStart> => {
  const child = spawnService({ env: { PORT: "0", ...env } })
  const code = await child.ended
  await child.closed
  return { code, errors: child.errors() }
}

/** One sentence on standard error, and nothing but it. */
export const oneSentence = /^atrium: [^\n]+\.\n$/
