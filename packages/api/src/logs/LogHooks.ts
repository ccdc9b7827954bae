import { LogTail } from "@atrium/actors/logs/LogTail"
import { oldestShown } from "@atrium/domain/logs/LogLine"
import { Clock, Effect, Schema } from "effect"

import { type Hooks, verb } from "../control/Hook.ts"
import { shownLine } from "./ShownLine.ts"

/** A hook that reads the lines of a room that this runner has in memory. */
export const hooks = Effect.gen(function* () {
  const tail = yield* LogTail
  const verbs: Hooks = {
    "logs/read": verb(
      Schema.Struct({ project: Schema.NonEmptyString, room: Schema.NonEmptyString }),
      ({ project, room }) =>
        Effect.map(Clock.currentTimeMillis, (nowMs) => {
          const query = { roomId: room, level: "debug", fromId: oldestShown(nowMs) } as const
          return { lines: tail.recent(project, query).lines.map(shownLine) }
        })
    )
  }
  return verbs
})
