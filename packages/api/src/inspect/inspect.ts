import { RoomStates } from "@atrium/actors/inspect/RoomStates"
import { Rooms } from "@atrium/actors/rooms/Rooms"
import { apiOf } from "@atrium/domain/http/Api"
import { CallersProject } from "@atrium/domain/http/Credential"
import { InspectApi } from "@atrium/domain/inspect/InspectApi"
import { InspectLimits } from "@atrium/domain/inspect/InspectLimits"
import { isRoomId } from "@atrium/domain/shared/Ids"
import { isoOf } from "@atrium/domain/shared/IsoText"
import { BadRequest, ClientNotFound, RoomNotFound } from "@atrium/domain/shared/Refusal"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

import { liveList, wholeList } from "../http/LiveList.ts"
import { liveStream, wantsEvents } from "../http/LiveStream.ts"
import { readState, stateLooks } from "./LiveState.ts"
import { RoomClients } from "./RoomClients.ts"
import { RoomClocks } from "./RoomClocks.ts"

/** The room that a path names. A malformed id answers like an unknown one. */
const named = ({ roomId }: { readonly roomId: string }) =>
  Effect.flatMap(CallersProject, ({ projectId }) =>
    isRoomId(roomId)
      ? Effect.succeed({ projectId, roomId })
      : Effect.fail(new RoomNotFound({ message: "no such room" }))
  )

const onlyDev = "clock: only that of a room of project dev can be stepped"
const notAwake = "clock: the room is not awake, or is a branch, whose clock stands"

/** Looks into rooms, and what an operator does with their clients. */
export const InspectHandlers = HttpApiBuilder.group(
  apiOf(InspectApi),
  "inspect",
  Effect.fnUntraced(function* (handlers) {
    const rooms = yield* Rooms
    const states = yield* RoomStates
    const clients = yield* RoomClients
    const clocks = yield* RoomClocks
    return handlers.handleAll({
      state: Effect.fn("inspect.state")(function* ({ params }) {
        const key = yield* named(params)
        if (!(yield* wantsEvents)) return yield* readState(states, key)
        return yield* liveStream(stateLooks(states, key), key.projectId)
      }),
      clients: Effect.fn("inspect.clients")(function* ({ params }) {
        const key = yield* named(params)
        yield* rooms.read(key)
        const read = clients.list(key)
        if (!(yield* wantsEvents)) return yield* read
        const next = wholeList(read, ({ clientId }) => clientId)
        return yield* liveList({ next, everyMs: InspectLimits.liveClientsEvery.ms }, key.projectId)
      }),
      kick: Effect.fn("inspect.kick")(function* ({ params }) {
        const key = yield* named(params)
        yield* rooms.read(key)
        if (!(yield* clients.kick(key, params.clientId))) return yield* new ClientNotFound()
        return { clientId: params.clientId }
      }),
      stepClock: Effect.fn("inspect.stepClock")(function* ({ params, payload: { stepMs } }) {
        const key = yield* named(params)
        yield* rooms.read(key)
        if (key.projectId !== "dev") return yield* new BadRequest({ message: onlyDev })
        const atMs = yield* clocks.step({ ...key, stepMs })
        if (atMs === null) return yield* new BadRequest({ message: notAwake })
        return { roomId: key.roomId, at: isoOf(atMs) }
      })
    })
  })
)
