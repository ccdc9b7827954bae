import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import type { RoomKey } from "@atrium/domain/shared/Ids"
import { ServiceLimits } from "@atrium/domain/shared/ServiceLimits"
import { Effect, Schedule } from "effect"

import { isStoreAway } from "../store/StoreFailure.ts"
import type { DeployedType } from "./DeployedType.ts"

/** Rooms that move to a new version at once. */
const moves = 4
/** Looks in a row that find nothing to move: by then every start of before has come to its end. */
const quietLooks = 3

/** Where a {@link moveRooms} finds rooms, and who puts them away. */
export interface MoverPort {
  /** Rooms that are up, or on their way, on a version before this one. */
  readonly upOnOlder: Effect.Effect<ReadonlyArray<RoomKey>>
  makeWay(key: RoomKey): Effect.Effect<void, unknown>
}

/**
 * Makes the rooms of older versions store their state and come back on the new one. It looks more
 * than once: a room that began to start just before has no row yet, and the store may be away.
 * Source: C-10, C-57.
 */
export const moveRooms = (port: MoverPort): Effect.Effect<void> => {
  const look = Effect.gen(function* () {
    const older = yield* port.upOnOlder
    yield* Effect.forEach(older, (key) => moveOne(key, port.makeWay(key)), {
      concurrency: moves,
      discard: true
    })
    return older.length === 0
  }).pipe(
    Effect.catchCause((cause) =>
      Effect.as(
        isStoreAway(cause) ? Effect.void : Effect.logWarning("rooms could not be moved", cause),
        false
      )
    )
  )
  return Effect.suspend(() => {
    let quiet = 0
    return look.pipe(
      Effect.tap((none) => Effect.sync(() => (quiet = none ? quiet + 1 : 0))),
      Effect.repeat({
        schedule: Schedule.spaced(RoomLimits.moveLook.ms),
        until: () => quiet >= quietLooks,
        times: RoomLimits.moveLooks.max - 1
      }),
      Effect.asVoid
    )
  })
}

/** A room that does not make way stays where it is, and the log says so. */
export const moveOne = (key: RoomKey, makeWay: Effect.Effect<void, unknown>): Effect.Effect<void> =>
  makeWay.pipe(
    Effect.timeout(ServiceLimits.actorCall.ms),
    Effect.catchCause((cause) => Effect.logWarning("a room was not moved", cause)),
    Effect.annotateLogs({ project: key.projectId, room: key.roomId })
  )

/** The room types of a version. */
export interface VersionTypes {
  /** Its rooms run no code of the project. */
  readonly relay: boolean
  readonly roomTypes: ReadonlyArray<DeployedType>
}

/**
 * The room types that stay on the version where they are: rooms without code have nothing to gain
 * from a new version that has their schema. Spec: Connection and room limits.
 */
export const typesThatStay = (before: VersionTypes, after: VersionTypes): ReadonlyArray<string> =>
  before.relay && after.relay
    ? after.roomTypes
        .filter(({ type, schemaHash }) =>
          before.roomTypes.some((old) => old.type === type && old.schemaHash === schemaHash)
        )
        .map(({ type }) => type)
    : []
