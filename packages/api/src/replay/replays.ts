import { ThisRunner } from "@atrium/actors/fleet/FleetReporter"
import { Clips } from "@atrium/actors/replay/Clips"
import type { ReplayRow } from "@atrium/actors/replay/ReplayRows"
import { ReplayStore } from "@atrium/actors/replay/ReplayStore"
import { apiOf } from "@atrium/domain/http/Api"
import { CallersProject } from "@atrium/domain/http/Credential"
import { isReplayId, replayPath } from "@atrium/domain/replay/ReplayId"
import { ReplaysApi } from "@atrium/domain/replay/ReplaysApi"
import { isoOf } from "@atrium/domain/shared/IsoText"
import { NotFound } from "@atrium/domain/shared/Refusal"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

import { replayFactsOf } from "./replayFacts.ts"

/** The replays of a project, for its owner and API keys. Source: D-57. */
export const ReplaysHandlers = HttpApiBuilder.group(
  apiOf(ReplaysApi),
  "replays",
  Effect.fnUntraced(function* (handlers) {
    const store = yield* ReplayStore
    const clips = yield* Clips
    const { version: service } = yield* ThisRunner
    return handlers.handleAll({
      list: Effect.fn("replays.list")(function* () {
        const { projectId } = yield* CallersProject
        return (yield* store.list(projectId)).map(rowOf)
      }),
      delete: Effect.fn("replays.delete")(function* ({ params }) {
        const { projectId } = yield* CallersProject
        const { replayId } = params
        const removed = isReplayId(replayId) ? yield* store.remove(projectId, replayId) : null
        return removed === null ? yield* new NotFound() : rowOf(removed)
      }),
      clip: Effect.fn("replays.clip")(function* ({ params, payload }) {
        const { projectId } = yield* CallersProject
        const { replayId, expiresAtMs } = yield* clips.make(
          { projectId, roomId: params.roomId },
          payload
        )
        const url = replayPath(replayId)
        return { clipId: replayId, url, expiresAt: isoOf(expiresAtMs), service }
      })
    })
  })
)

const rowOf = (row: ReplayRow) => ({
  replayId: row.replayId,
  ...replayFactsOf(row),
  chunks: row.chunks,
  createdAt: isoOf(row.createdAtMs)
})
