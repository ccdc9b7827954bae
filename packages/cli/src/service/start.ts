import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"

import { Effect } from "effect"
import { Argument, Command } from "effect/cli"

import { Misused, ProgramEnded } from "../CommandFailure.ts"
import { WorkingDirectory } from "../WorkingDirectory.ts"

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/** `atrium start`: the service of the clone around this folder, as `npm start` starts it. */
export const start = Command.make(
  "start",
  {
    argv: Argument.String("argument").pipe(
      Argument.withDescription("Arguments of the service, after --"),
      Argument.variadic()
    )
  },
  Effect.fn("atrium.start")(function* ({ argv }) {
    const cwd = yield* WorkingDirectory
    const clone = cloneAround(cwd)
    if (clone === null) return yield* new Misused({ message: noClone(cwd) })
    yield* ended([process.execPath, [join(clone, "scripts/install.mjs")]], clone)
    // It has installed this Node, the one that the service runs on.
    const node = join(clone, "node_modules/.bin/node")
    yield* ended([node, [join(clone, "packages/api/src/main.ts"), ...argv]], clone)
  })
).pipe(
  Command.withExamples([
    { command: "atrium start", description: "The same as npm start, from any folder of the clone" },
    { command: "atrium start -- --control-port 0", description: "With an argument of the service" }
  ])
)

const noClone = (cwd: string): string =>
  [
    `${cwd}: is in no clone of Atrium, and the service is started from one.`,
    "What it needs: Node from 20 on, npm, and a clone; there it is `atrium start` or `npm start`.",
    "With Docker it is `docker compose up` in the clone, which brings PostgreSQL as well.",
    "For a service that runs already, set ATRIUM_URL to its address."
  ].join("\n")

/** The folder itself or the nearest one above it that is a clone; `null` = none of them is. */
const cloneAround = (folder: string): string | null => {
  if (isClone(folder)) return folder
  const parent = dirname(folder)
  return parent === folder ? null : cloneAround(parent)
}

const isClone = (folder: string): boolean => {
  const [manifest, service] = ["package.json", "packages/api/src/main.ts"]
  if (![manifest, service].every((path) => existsSync(join(folder, path)))) return false
  try {
    const json: unknown = JSON.parse(readFileSync(join(folder, manifest), "utf8"))
    return Object(json)["name"] === "atrium"
  } catch {
    return false
  }
}

/** Runs a program in the clone until it ends, and passes signals on to it. Fails with its exit code, but for 0. */
const ended = ([program, argv]: readonly [string, ReadonlyArray<string>], cwd: string) =>
  Effect.callback<number>((resume) => {
    const child: ChildProcess = spawn(program, argv, { cwd, stdio: "inherit" })
    const pass = (signal: NodeJS.Signals): void => void child.kill(signal)
    for (const signal of signals) process.on(signal, pass)
    const unhook = (): void => {
      for (const signal of signals) process.off(signal, pass)
    }
    child.once("error", (error) => {
      unhook()
      resume(Effect.die(error))
    })
    child.once("exit", (code) => {
      unhook()
      resume(Effect.succeed(code ?? 1))
    })
    return Effect.sync(() => {
      unhook()
      child.kill()
    })
  }).pipe(
    Effect.flatMap((exitCode) =>
      exitCode === 0 ? Effect.void : Effect.fail(new ProgramEnded({ exitCode }))
    )
  )
