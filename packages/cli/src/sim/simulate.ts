import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

import { Effect } from "effect"
import { Argument, Command } from "effect/cli"

import { ProgramEnded } from "../CommandFailure.ts"
import { WorkingDirectory } from "../WorkingDirectory.ts"
import { answerQuestion } from "./ProjectFigures.ts"

/** `atrium simulate`: a program of its own, which parses its own arguments. */
export const simulate = Command.make(
  "simulate",
  { argv: Argument.String("argument").pipe(Argument.variadic()) },
  Effect.fn("atrium.simulate")(function* ({ argv }) {
    const cwd = yield* WorkingDirectory
    const exitCode = yield* Effect.scoped(
      Effect.gen(function* () {
        const child = yield* Effect.acquireRelease(
          Effect.sync(() => start(argv, cwd)),
          (started) => Effect.sync(() => started.kill())
        )
        yield* passSignals(child)
        yield* Effect.forkScoped(Effect.forever(answerNext(child)))
        return yield* ended(child)
      })
    )
    if (exitCode !== 0) return yield* new ProgramEnded({ exitCode })
  })
).pipe(Command.withAlias("sim"))

const start = (argv: ReadonlyArray<string>, cwd: string): ChildProcess =>
  spawn(process.execPath, [fileURLToPath(import.meta.resolve("@atrium/sim/main")), ...argv], {
    cwd,
    // It asks for what it wants of a service, and needs no credential. Source: C-264.
    env: { ...process.env, SERVICE_API_KEY: undefined, ATRIUM_TOKEN: undefined },
    stdio: ["inherit", "inherit", "inherit", "ipc"]
  })

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/** The program ends in order and tells what it has: this one waits for it. */
const passSignals = (child: ChildProcess) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const pass = (signal: NodeJS.Signals): void => void child.kill(signal)
      for (const signal of signals) process.on(signal, pass)
      return pass
    }),
    (pass) =>
      Effect.sync(() => {
        for (const signal of signals) process.off(signal, pass)
      })
  )

const answerNext = Effect.fnUntraced(function* (child: ChildProcess) {
  const message = yield* Effect.callback<unknown>((resume) => {
    const take = (asked: unknown): void => resume(Effect.succeed(asked))
    child.once("message", take)
    return Effect.sync(() => child.off("message", take))
  })
  const reply = yield* answerQuestion(message)
  // A program that has ended meanwhile wants no answer.
  if (child.connected) child.send(reply)
})

/** @returns the exit code; 1 = ended by a signal */
const ended = (child: ChildProcess) =>
  Effect.callback<number>((resume) => {
    child.once("error", (error) => resume(Effect.die(error)))
    child.once("exit", (code) => resume(Effect.succeed(code ?? 1)))
  })
