import { type RoomKey, roomKeyText } from "@atrium/domain/shared/Ids"
import { NotFound, RoomNotFound, TenantWaking } from "@atrium/domain/shared/Refusal"
import { Effect } from "effect"

import { answeredOr } from "../cluster/ActorAnswer.ts"
import { RoomActor } from "../rooms/RoomProtocol.ts"
import { placeOf } from "../rooms/RoomState.ts"
import { RoomStore } from "../rooms/RoomStore.ts"
import { homeOf } from "../servers/ServerIndex.ts"
import { ThisHome } from "../servers/ThisHome.ts"
import { FleetStore } from "./FleetStore.ts"
import { moveTarget } from "./MoveTarget.ts"

/**
 * Moves rooms to another runner; their clients stay connected. A room that sleeps wakes there if it does so soon.
 * `to` `null` = the open runner with the least load. The answer is the runner. Source: C-419.
 */
export const roomMover = Effect.gen(function* () {
  const here = yield* ThisHome
  const rooms = yield* RoomStore
  const fleet = yield* FleetStore
  const actorOf = yield* RoomActor.client

  return Effect.fn("Fleet.moveRoom")(function* (key: RoomKey, to: string | null) {
    const row = yield* rooms.load(key)
    if (row === null) return yield* noSuchRoom
    const at = placeOf(row.state)
    const from = here === null || at === null ? null : yield* here.runnerOf(homeOf(at.serverIndex))
    const target = moveTarget(yield* fleet.list, { from, to })
    if (target !== null && target === from) return from
    if (target === null || here === null || !(yield* here.send(key, target))) {
      return yield* to === null ? noOther : new NotFound()
    }
    if (at !== null) {
      yield* answered(actorOf(roomKeyText(key)).Move({ from: null, wake: true }))
    }
    return target
  })
})

const noSuchRoom = new RoomNotFound({ message: "no such room" })
const noOther = new TenantWaking({ message: "no other runner takes rooms now" })
const answered = answeredOr(new TenantWaking({ message: "the room's actor does not answer" }))
