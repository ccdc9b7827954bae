import { Rooms } from "@atrium/actors/rooms/Rooms"
import { apiOf } from "@atrium/domain/http/Api"
import { LobbyApi } from "@atrium/domain/rooms/LobbyApi"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

import { boardRate } from "../boards/boards.ts"
import { makeOpenProject } from "../projects/OpenProject.ts"

/** The public registry of a project's rooms. It draws on the buckets of leaderboard reads. Source: D-21. */
export const LobbyHandlers = HttpApiBuilder.group(
  apiOf(LobbyApi),
  "lobby",
  Effect.fnUntraced(function* (handlers) {
    const openProject = yield* makeOpenProject
    const rooms = yield* Rooms
    return handlers.handleAll({
      list: Effect.fn("lobby.list")(function* ({ query }) {
        const { projectId } = yield* openProject(boardRate, query.project, Effect.succeed)
        return (yield* rooms.lobby(projectId)).map(({ metadata, ...row }) => ({
          ...row,
          // It was JSON when it was stored.
          ...(metadata === null ? {} : { metadata: JSON.parse(metadata) })
        }))
      })
    })
  })
)
