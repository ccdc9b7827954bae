import { ProjectStore } from "@atrium/actors/projects/ProjectStore"
import { Rooms } from "@atrium/actors/rooms/Rooms"
import { Api } from "@atrium/domain/http/Api"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

import { OpenRates } from "../http/OpenRates.ts"
import { projectThere } from "../projects/projectThere.ts"

/** The public registry of a project's rooms. */
export const LobbyHandlers = HttpApiBuilder.group(
  Api,
  "lobby",
  Effect.fnUntraced(function* (handlers) {
    const projects = yield* ProjectStore
    const rates = yield* OpenRates
    const rooms = yield* Rooms
    return handlers.handleAll({
      list: Effect.fn("lobby.list")(function* ({ query }) {
        const { projectId } = yield* rates.pass("lobby", {
          subject: query.project,
          found: projectThere(projects, query.project)
        })
        return yield* rooms.lobby(projectId)
      })
    })
  })
)
