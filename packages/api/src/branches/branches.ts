import { Branches } from "@atrium/actors/branches/Branches"
import { BranchesApi } from "@atrium/domain/branches/BranchesApi"
import { apiOf } from "@atrium/domain/http/Api"
import { CallersProject } from "@atrium/domain/http/Credential"
import { isRoomId } from "@atrium/domain/shared/Ids"
import { RoomNotFound } from "@atrium/domain/shared/Refusal"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

import { makeStorageWall } from "../meters/StorageWall.ts"

/** Rooms made from saves of others. */
export const BranchesHandlers = HttpApiBuilder.group(
  apiOf(BranchesApi),
  "branches",
  Effect.fnUntraced(function* (handlers) {
    const branches = yield* Branches
    const underWall = yield* makeStorageWall
    return handlers.handleAll({
      make: Effect.fn("branches.make")(function* ({ params: { roomId, saveId }, payload }) {
        const { projectId } = yield* CallersProject
        if (!isRoomId(roomId)) return yield* new RoomNotFound({ message: "no such room" })
        yield* underWall(projectId)
        const as = { projectId, roomId: payload.roomId }
        return yield* branches.make({ source: { projectId, roomId }, saveId, as })
      })
    })
  })
)
