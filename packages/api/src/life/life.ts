import { DeploymentStore } from "@atrium/actors/deployments/DeploymentStore"
import { LifeStore } from "@atrium/actors/life/LifeStore"
import { Rooms } from "@atrium/actors/rooms/Rooms"
import { apiOf } from "@atrium/domain/http/Api"
import { CallersProject } from "@atrium/domain/http/Credential"
import { LifeApi } from "@atrium/domain/life/LifeApi"
import type { LifeEvent } from "@atrium/domain/life/LifeEvent"
import { LifeLimits } from "@atrium/domain/life/LifeLimits"
import { lineAtMs } from "@atrium/domain/logs/LogLine"
import { isRoomId, type RoomKey } from "@atrium/domain/shared/Ids"
import { isoOf } from "@atrium/domain/shared/IsoText"
import { RoomNotFound } from "@atrium/domain/shared/Refusal"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

import { liveList, wholeList } from "../http/LiveList.ts"
import { wantsEvents } from "../http/LiveStream.ts"

/** What happened to rooms. */
export const LifeHandlers = HttpApiBuilder.group(
  apiOf(LifeApi),
  "life",
  Effect.fnUntraced(function* (handlers) {
    const read = yield* makeRead
    return handlers.handleAll({
      read: Effect.fn("life.read")(function* ({ params: { roomId } }) {
        const { projectId } = yield* CallersProject
        if (!isRoomId(roomId)) return yield* new RoomNotFound({ message: "no such room" })
        const events = read({ projectId, roomId })
        if (!(yield* wantsEvents)) return yield* events
        const next = wholeList(events, ({ id }) => id)
        return yield* liveList({ next, everyMs: LifeLimits.lifeLook.ms }, projectId)
      })
    })
  })
)

/** What happened to a room itself, its saves, and the versions that were deployed meanwhile. */
const makeRead = Effect.gen(function* () {
  const store = yield* LifeStore
  const rooms = yield* Rooms
  const deployments = yield* DeploymentStore
  return Effect.fnUntraced(function* (key: RoomKey) {
    const [own, saves] = yield* Effect.all([store.read(key), rooms.saves(key)], { concurrency: 2 })
    const events: ReadonlyArray<LifeEvent> = [
      ...own.map(({ eventId, note }) => ({
        id: String(eventId),
        at: isoOf(lineAtMs(eventId)),
        ...note
      })),
      ...saves.map(({ saveId, createdAt, version, bytes, reason }) => ({
        id: saveId,
        at: createdAt,
        kind: "saved" as const,
        saveId,
        version,
        bytes,
        reason
      }))
    ]
    const atMost = LifeLimits.lifeEvents.max
    const beginMs = Math.min(...events.map(({ at }) => Date.parse(at)))
    const versions =
      events.length === 0
        ? []
        : yield* deployments.since(key.projectId, { sinceMs: beginMs, atMost })
    const deployed = versions.map(({ version, createdAtMs, rollbackOf }) => ({
      id: `v${version}`,
      at: isoOf(createdAtMs),
      kind: "deployed" as const,
      version,
      ...(rollbackOf === null ? {} : { from: rollbackOf })
    }))
    return [...events, ...deployed]
      .toSorted((one, other) => (one.at < other.at ? 1 : one.at > other.at ? -1 : 0))
      .slice(0, atMost)
  })
})
