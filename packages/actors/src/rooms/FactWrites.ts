import { StoreLimits } from "@atrium/domain/store/StoreLimits"
import { Cause, Effect } from "effect"

import { aboutAMinute } from "../store/StoreRetry.ts"
import { givenUp } from "./GivenUp.ts"
import type { IncarnationStart } from "./IncarnationStart.ts"
import { LatestWrite } from "./LatestWrite.ts"
import { PlayerFields } from "./PlayerFields.ts"
import { type Alarm, RoomFiles } from "./RoomFiles.ts"
import type { Lobby } from "./RoomLobby.ts"
import { Fenced } from "./RoomObjects.ts"
import { RoomStore } from "./RoomStore.ts"

/** Facts that a room stores beside its state, each in the order in which the room set it. */
export interface FactWrites {
  readonly alarms: LatestWrite<ReadonlyArray<Alarm>>
  readonly lobby: LatestWrite<Lobby>
  playerChanged(playerId: string, fields: Uint8Array): void
  /** Waits for the alarms and the lobby flags; false = some of them are not stored. */
  readonly kept: Effect.Effect<boolean>
  /** Waits until all that was written so far is stored. Fails if it is not, or not in time. */
  readonly stored: Effect.Effect<void, unknown>
}

const attempts = {
  ...aboutAMinute,
  while: (cause: Cause.Cause<unknown>) => !(Cause.squash(cause) instanceof Fenced)
}

/** @param playersSince of the room's version, as in `StoredPlayer` */
export const makeFactWrites = Effect.fnUntraced(function* (
  { key, order }: Pick<IncarnationStart, "key" | "order">,
  playersSince: number
) {
  const files = yield* RoomFiles
  const rooms = yield* RoomStore
  const players = yield* PlayerFields
  /** How often the room has changed each player, as long as not all of it is known to be stored. */
  const changes = new Map<string, number>()
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const isStored = (
    fact: "alarms" | "lobby",
    write: Effect.Effect<void, unknown>,
    again: boolean
  ): Effect.Effect<boolean> =>
    write.pipe(
      Effect.sandbox,
      Effect.retry(attempts),
      Effect.as(true),
      Effect.catch((cause) => givenUp({ fact, cause, again })),
      Effect.annotateLogs({ project: key.projectId, room: key.roomId })
    )
  const alarms = new LatestWrite<ReadonlyArray<Alarm>>({
    run,
    store: (set, again) => isStored("alarms", files.storeAlarms(key, order.epoch, set), again)
  })
  const lobby = new LatestWrite<Lobby>({
    run,
    store: (set, again) =>
      isStored("lobby", rooms.setLobby({ ...key, epoch: order.epoch }, set), again)
  })
  const kept = Effect.map(
    Effect.all([alarms.stored, lobby.stored], { concurrency: "unbounded" }),
    (all) => all.every((one) => one)
  )
  const stored = Effect.suspend(() => {
    const playersStored = [...changes].map(([playerId, times]) =>
      Effect.map(players.stored({ projectId: key.projectId, playerId }), (isStored) => {
        // A player whose write is late is waited for again by the next call.
        if (isStored && changes.get(playerId) === times) changes.delete(playerId)
        return isStored
      })
    )
    return Effect.all([kept, ...playersStored], { concurrency: "unbounded" })
  }).pipe(
    Effect.filterOrFail((all) => all.every((one) => one)),
    Effect.timeout(StoreLimits.storeAnswer.ms),
    Effect.asVoid
  )
  const writes: FactWrites = {
    alarms,
    lobby,
    kept,
    stored,
    playerChanged: (playerId, fields) => {
      changes.set(playerId, (changes.get(playerId) ?? 0) + 1)
      players.write({ projectId: key.projectId, playerId }, { fields, since: playersSince })
    }
  }
  return writes
})
