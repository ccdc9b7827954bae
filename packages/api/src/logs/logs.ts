import { LogStore } from "@atrium/actors/logs/LogStore"
import { LogTail } from "@atrium/actors/logs/LogTail"
import { apiOf } from "@atrium/domain/http/Api"
import { CallersProject } from "@atrium/domain/http/Credential"
import { LogLimits } from "@atrium/domain/logs/LogLimits"
import { lineIdAt } from "@atrium/domain/logs/LogLine"
import { LogsApi } from "@atrium/domain/logs/LogsApi"
import { RateLimited } from "@atrium/domain/shared/Refusal"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

import { OtherTails } from "./OtherTails.ts"
import { shownLine } from "./ShownLine.ts"
import { tailOf } from "./TailStream.ts"

const sinceId = (since: string | undefined): number | null =>
  since === undefined ? null : Math.max(0, lineIdAt(Date.parse(since)))

/** The lines of a project's rooms: those that are stored, and those that come. */
export const LogsHandlers = HttpApiBuilder.group(
  apiOf(LogsApi),
  "logs",
  Effect.fnUntraced(function* (handlers) {
    const store = yield* LogStore
    const tail = yield* LogTail
    const others = yield* OtherTails
    // Lines of several runners do not come in the order of their ids.
    const overlap = others.several ? lineIdAt(LogLimits.logTailOverlap.ms) : 0
    return handlers.handleAll({
      read: Effect.fn("logs.read")(function* ({ query }) {
        const { projectId } = yield* CallersProject
        const { room, level, since, contains, limit } = query
        const lines = yield* store.read(
          projectId,
          { roomId: room ?? null, level: level ?? "debug", fromId: sinceId(since) ?? 0, contains },
          limit === undefined ? LogLimits.logLinesDefault.max : Number(limit)
        )
        return lines.map(shownLine)
      }),
      tail: Effect.fn("logs.tail")(function* ({ query: { room, level, since }, headers }) {
        const { projectId } = yield* CallersProject
        if (!tail.hasPlace(projectId)) {
          return yield* new RateLimited({ retryAfterMs: LogLimits.logTailPing.ms })
        }
        const lastId = headers["last-event-id"]
        const fromId =
          lastId === undefined ? sinceId(since) : Math.max(0, Number(lastId) + 1 - overlap)
        const wanted = { projectId, roomId: room ?? null, level: level ?? "debug", fromId } as const
        return tailOf({ tail, others, store }, wanted)
      })
    })
  })
)
