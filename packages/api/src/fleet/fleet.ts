import { FleetStore, type RunnerRow } from "@atrium/actors/fleet/FleetStore"
import { roomMover } from "@atrium/actors/fleet/MoveRoom"
import { FleetApi, type Runner } from "@atrium/domain/fleet/FleetApi"
import { isRunnerName, runnerStatus, settingOf } from "@atrium/domain/fleet/RunnerStatus"
import { apiOf } from "@atrium/domain/http/Api"
import { isProjectId, isRoomId } from "@atrium/domain/shared/Ids"
import { isoOf } from "@atrium/domain/shared/IsoText"
import { NotFound, RoomNotFound } from "@atrium/domain/shared/Refusal"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

import { makeOperatorOnly } from "../logins/OperatorOnly.ts"

/** The runners of the service, for its operator. */
export const FleetHandlers = HttpApiBuilder.group(
  apiOf(FleetApi),
  "fleet",
  Effect.fnUntraced(function* (handlers) {
    const fleet = yield* FleetStore
    const operatorOnly = yield* makeOperatorOnly
    const move = yield* roomMover

    return handlers.handleAll({
      list: Effect.fn("fleet.list")(function* () {
        yield* operatorOnly
        return (yield* fleet.list).map(shown)
      }),
      order: Effect.fn("fleet.order")(function* ({ params, payload }) {
        yield* operatorOnly
        if (!isRunnerName(params.runner)) return yield* new NotFound()
        const row = yield* fleet.order(params.runner, settingOf[payload.order])
        return row === null ? yield* new NotFound() : shown(row)
      }),
      move: Effect.fn("fleet.move")(function* ({ params, payload }) {
        yield* operatorOnly
        const { id: projectId, roomId } = params
        if (!isProjectId(projectId) || !isRoomId(roomId)) return yield* noSuchRoom
        return { runner: yield* move({ projectId, roomId }, payload.runner) }
      })
    })
  })
)

const noSuchRoom = new RoomNotFound({ message: "no such room" })

const shown = (row: RunnerRow): Runner => ({
  runner: row.runner,
  status: runnerStatus(row),
  version: row.version,
  startedAt: isoOf(row.startedAtMs),
  heardAt: isoOf(row.heardAtMs),
  rooms: row.rooms,
  clients: row.clients,
  load: row.load,
  freeBytes: row.freeBytes
})
