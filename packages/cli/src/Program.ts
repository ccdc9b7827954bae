import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"

import { runAtrium } from "./Atrium.ts"

/** Runs a command line with what a process of Node has, and sets the exit code. */
export const runProgram = async (argv: ReadonlyArray<string>): Promise<void> => {
  process.exitCode = await runAtrium(argv).pipe(
    Effect.provide(NodeServices.layer),
    Effect.runPromise
  )
  // A terminal that a question was read from would keep the process alive.
  process.stdin.destroy()
}
