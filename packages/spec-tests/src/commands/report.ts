import { Argument, Command } from "effect/cli"

import { Misused } from "../engine/Settings.ts"
import { wholeSuite } from "../engine/Suite.ts"
import { codeOf, readReport } from "../report/Report.ts"
import { writeReports } from "../report/WriteReports.ts"
import { endingWith } from "./CommandEnd.ts"
import { reporting, reportsOf } from "./SuiteFlags.ts"

/** `spec-tests report FILE`: the other reports from the JSON lines, also of a run that crashed. */
export const report = Command.make(
  "report",
  {
    file: Argument.String("file").pipe(Argument.withDescription("A report in JSON lines")),
    ...reporting
  },
  ({ file, ...input }) =>
    endingWith(() => {
      try {
        const told = readReport(file, wholeSuite)
        writeReports(told, reportsOf(input))
        return codeOf(told)
      } catch (cause) {
        throw new Misused(cause instanceof Error ? cause.message : String(cause))
      }
    })
).pipe(
  Command.withDescription("Make the other reports from JSON lines, also of a run that crashed")
)
