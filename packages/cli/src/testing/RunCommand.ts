import { type ChildProcess, spawn } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

import * as NodeServices from "@effect/platform-node/NodeServices"
import {
  Clock,
  ConfigProvider,
  Effect,
  identity,
  Layer,
  Sink,
  Stdio,
  Stream,
  Terminal
} from "effect"
import { TestConsole } from "effect/testing"

import { runAtrium } from "../Atrium.ts"
import { WorkingDirectory } from "../WorkingDirectory.ts"

export const loginToken = `ct_${"t".repeat(43)}`
export const apiKey = `rk_${"k".repeat(43)}`

interface Place {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

interface Standard {
  /** The text that is piped in; none = standard input is a terminal. */
  readonly stdin?: string
  /** The text that a person types at that terminal. */
  readonly typed?: string
  /** Width of the terminal that standard output is; none = it is no terminal. */
  readonly columns?: number
  readonly clock?: Clock.Clock
}

/** Lines of progress, which are printed when a step takes longer than a second. */
const progress =
  /^(?:bundling|creating the project|renaming \S+|reading \S+(?:, .*)?|rolling \S+ back|uploading [\d.]+ \w+ to (?:rehearse it|\S+)|waiting for \S+|measuring \S+ for 5 seconds|deleting \S+|putting \S+ back to \S+|comparing \d+ files with the site of \S+|uploading \d+ of \d+ files, .*|switching the site|rehearsing \d+ of .*) …$/

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Logins of a test are its own; a folder with a dot is no room code. */
const homeOf = (cwd: string) => ({ XDG_CONFIG_HOME: join(cwd, ".config") })

/** Runs a command line in this process. Lines are told without the end of the last, and without progress. */
export const runCommand = (
  argv: ReadonlyArray<string>,
  { cwd, env, clock, ...standard }: Place & Standard
): Promise<Ended> => {
  const written: Array<Uint8Array> = []
  return Effect.gen(function* () {
    const code = yield* runAtrium(argv)
    const out = (yield* TestConsole.logLines).join("\n") + Buffer.concat(written).toString("latin1")
    const lines = yield* TestConsole.errorLines
    const err = lines.filter((line) => !progress.test(String(line))).join("\n")
    return { code, out, err }
  }).pipe(
    clock === undefined ? identity : Effect.provideService(Clock.Clock, clock),
    Effect.provideService(WorkingDirectory, cwd),
    Effect.provideService(
      ConfigProvider.ConfigProvider,
      ConfigProvider.fromUnknown({ ...homeOf(cwd), ...env })
    ),
    Effect.provide(
      Layer.mergeAll(NodeServices.layer, TestConsole.layer, standardOf(standard, written))
    ),
    Effect.runPromise
  )
}

const standardOf = ({ stdin, typed, columns = 0 }: Standard, written: Array<Uint8Array>) =>
  Layer.merge(
    Stdio.layerTest({
      stdinIsTerminal: Effect.succeed(stdin === undefined),
      stdoutIsTerminal: Effect.succeed(columns > 0),
      stdin: Stream.make(Buffer.from(stdin ?? typed ?? "")),
      stdout: () => Sink.forEach((chunk) => Effect.sync(() => written.push(Buffer.from(chunk))))
    }),
    Layer.effect(
      Terminal.Terminal,
      Effect.map(Terminal.Terminal, (terminal) =>
        Terminal.make({ ...terminal, columns: Effect.succeed(columns) })
      )
    ).pipe(Layer.provide(NodeServices.layer))
  )

const built = process.env["ATRIUM_BUILT_PROGRAMS"]
const program =
  built === undefined ? fileURLToPath(new URL("../main.ts", import.meta.url)) : `${built}/cli.mjs`

export interface RunningCommand {
  readonly process: ChildProcess
  readonly out: () => string
  /** Without what is said of progress. */
  readonly err: () => string
  /** With all that it has said so far. */
  readonly said: () => string
  readonly ended: Promise<Ended>
}

/** Starts the real command in a process of its own. */
export const startCommand = (argv: ReadonlyArray<string>, { cwd, env }: Place): RunningCommand => {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const child = spawn(process.execPath, [program, ...argv], {
    cwd,
    env: { PATH, NODE_COMPILE_CACHE, ...homeOf(cwd), ...env },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let out = ""
  let err = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text))
  const errOf = (): string =>
    err
      .split("\n")
      .filter((line) => !progress.test(line))
      .join("\n")
  const ended = new Promise<Ended>((resolve) => {
    child.on("close", (code) => resolve({ code, out, err: errOf() }))
  })
  return { process: child, out: () => out, err: errOf, said: () => err, ended }
}
