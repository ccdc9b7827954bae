import { Command, Flag } from "effect/cli"

import { defaultJobs, mutate as run } from "../mutants/Mutate.ts"
import { startByArgv } from "../mutants/StartByArgv.ts"
import { endingWith, interruptible } from "./CommandEnd.ts"

/** `spec-tests mutate`: whether the suite sees the faults that an implementation can be started with. */
export const mutate = Command.make(
  "mutate",
  {
    mutants: Flag.String("mutants").pipe(
      Flag.withDescription("Folder of JSON files: {id, killedBy, why} each, and what is its own")
    ),
    start: Flag.String("start").pipe(
      Flag.withDescription(
        "Program and arguments, by spaces. It gets the mutant's id behind them or, for a run " +
          "without one, nothing; writes the path of a configuration as its first line; ends by SIGTERM"
      )
    ),
    only: Flag.String("only").pipe(
      Flag.withDescription("Ids of mutants: M-15,M-16"),
      Flag.withDefault("")
    ),
    thorough: Flag.Boolean("thorough").pipe(
      Flag.withDescription("Also those of which another breaks the same kind of thing"),
      Flag.withDefault(false)
    ),
    jobs: Flag.Int("jobs").pipe(
      Flag.withDescription("Implementations at once"),
      Flag.withDefault(defaultJobs)
    )
  },
  ({ mutants, start, only, thorough, jobs }) =>
    endingWith(() =>
      interruptible((signal) =>
        run({
          folder: mutants,
          only: only.split(",").filter((id) => id !== ""),
          thorough,
          jobs,
          signal,
          start: (mutant) => startByArgv(start.split(/ +/), mutant),
          print: (line) => process.stdout.write(`${line}\n`)
        })
      )
    )
).pipe(Command.withDescription("Start an implementation with faults that the suite must find"))
