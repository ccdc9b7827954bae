import { LogLimits } from "@atrium/domain/logs/LogLimits"
import { type LogLine, LogLevels } from "@atrium/domain/logs/LogLine"
import { isoOf } from "@atrium/domain/shared/IsoText"
import { visibleText } from "@atrium/domain/shared/VisibleText"
import { Clock, Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"

import { Misused } from "../CommandFailure.ts"
import { openOwn } from "../projects/CommandProject.ts"
import { sinceFlag, target } from "../projects/ProjectParameters.ts"
import { paintOf } from "../terminal/Paint.ts"
import { stopAsked } from "../terminal/StopAsked.ts"
import { followLines } from "./FollowLines.ts"
import { lineJson, lineText } from "./LineText.ts"

const parameters = {
  ...target,
  room: Argument.String("room").pipe(
    Argument.withDescription("Of this room alone"),
    Argument.optional
  ),
  follow: Flag.Boolean("follow").pipe(
    Flag.withAlias("f"),
    Flag.withDescription("Go on with each line as it comes; Ctrl-C ends"),
    Flag.withoutNegation,
    Flag.withDefault(false)
  ),
  since: sinceFlag("How far back, such as 10m or 2d; lines are kept for 7 days"),
  level: Flag.Literals("level", LogLevels).pipe(
    Flag.withDescription("The least level; default: debug"),
    Flag.optional
  ),
  limit: Flag.Int("limit").pipe(
    Flag.withDescription(
      `The newest lines at most, up to ${LogLimits.logLines.max}; with --follow it counts for nothing`
    ),
    Flag.withDefault(LogLimits.logLinesDefault.max)
  ),
  contains: Flag.String("contains").pipe(
    Flag.withDescription("Lines that hold this text alone; not with --follow"),
    Flag.optional
  ),
  json: Flag.Boolean("json").pipe(
    Flag.withDescription("Print one line of JSON; with --follow one for each line"),
    Flag.withDefault(false)
  )
}

/** `atrium logs`: what the rooms of a project have logged. Source: D-37, C-333. */
export const logs = Command.make(
  "logs",
  parameters,
  Effect.fn("atrium.logs")(function* (input) {
    if (input.follow && Option.isSome(input.contains)) {
      return yield* new Misused({ message: "--contains and --follow exclude each other" })
    }
    const { project, ...service } = yield* openOwn(input)
    const nowMs = yield* Clock.currentTimeMillis
    const paint = yield* paintOf("stdout")
    const query = {
      ...(Option.isSome(input.room) ? { room: input.room.value } : {}),
      ...(Option.isSome(input.level) ? { level: input.level.value } : {}),
      ...(Option.isSome(input.since) ? { since: isoOf(nowMs - input.since.value) } : {})
    }
    if (input.follow) {
      const followed = { service, project: project.id, query }
      const textOf = input.json ? lineJson : (line: LogLine) => lineText(paint, line)
      return yield* Effect.raceFirst(followLines(followed, textOf), stopAsked)
    }
    const call = service.logs.read({
      params: { id: project.id },
      query: {
        ...query,
        ...(Option.isSome(input.contains) ? { contains: input.contains.value } : {}),
        limit: String(input.limit)
      }
    })
    const lines = yield* service.ask(call)
    if (input.json) return yield* Console.log(visibleText(JSON.stringify(lines)))
    if (lines.length === 0) return yield* Console.error("no line was logged")
    yield* Console.log(lines.map((line) => lineText(paint, line)).join("\n"))
  })
).pipe(
  Command.withExamples([
    { command: "atrium logs -f", description: "The last lines in memory, and each as it comes" },
    { command: "atrium logs arena-2 --since 1h --level error" }
  ])
)
