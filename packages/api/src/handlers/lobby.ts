import { Rooms } from "@atrium/actors/room/Rooms"
import { ProjectStore } from "@atrium/actors/store/ProjectStore"
import { Api } from "@atrium/domain/http/Api"
import { NotFound } from "@atrium/domain/Refusal"
import { Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"

/** The public registry of a project's rooms. */
export const LobbyHandlers = HttpApiBuilder.group(
  Api,
  "lobby",
  Effect.fnUntraced(function* (handlers) {
    const projects = yield* ProjectStore
    const rooms = yield* Rooms
    return handlers.handleAll({
      list: Effect.fn("lobby.list")(function* ({ query }) {
        const project = yield* projects.find(query.project)
        if (Option.isNone(project)) return yield* new NotFound()
        return yield* rooms.lobby(project.value.projectId)
      })
    })
  })
)
