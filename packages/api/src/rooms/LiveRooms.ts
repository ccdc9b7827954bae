import { LiveRoomLines } from "@atrium/actors/rooms/LiveRoomLines"
import type { RoomFilter } from "@atrium/actors/rooms/RoomLists"
import type { Rooms } from "@atrium/actors/rooms/Rooms"
import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { Clock, Effect } from "effect"

import { type Changes, liveList } from "../http/LiveList.ts"

interface Wanted {
  readonly rooms: Rooms["Service"]
  readonly projectId: ProjectId
  readonly filter: RoomFilter
}

/**
 * The list of rooms as it changes; `null` = it is too long to be followed. Each look reads the rows that were written
 * since the look before. Now and then, and where these do not account for the number of rows, it reads all of them.
 * Source: C-769.
 */
export const liveRooms = Effect.fnUntraced(function* ({ rooms, projectId, filter }: Wanted) {
  const first = yield* rooms.changes(projectId, filter, null)
  if (first.rows > RoomLimits.liveRooms.max) return null
  const lines = new LiveRoomLines()
  let mark: string | null = null
  let wholeAtMs = yield* Clock.currentTimeMillis

  const whole = Effect.gen(function* () {
    const found = mark === null ? first : yield* rooms.changes(projectId, filter, null)
    mark = found.mark
    wholeAtMs = yield* Clock.currentTimeMillis
    return { told: lines.whole(found), json: found.json }
  })
  const next = Effect.gen(function* () {
    const due = (yield* Clock.currentTimeMillis) - wholeAtMs >= RoomLimits.liveRoomsWhole.ms
    if (mark === null || due) return yield* whole
    const found = yield* rooms.changes(projectId, filter, mark)
    mark = found.mark
    const told = lines.changed(found)
    return told === null ? yield* whole : { told, json: found.json }
  }).pipe(
    Effect.map(({ told, json }): Changes => ({ rows: told.lines.map(json), gone: told.gone }))
  )
  return yield* liveList({ next, everyMs: RoomLimits.liveRoomsLook.ms }, projectId)
})
