import { Cause, Effect, Schedule } from "effect"

import { Fenced } from "../store/ObjectStore.ts"
import { RoomStore } from "../store/RoomStore.ts"
import type { IncarnationStart } from "./IncarnationStart.ts"
import { LatestWrite } from "./LatestWrite.ts"
import { type Alarm, RoomFiles } from "./RoomFiles.ts"

/** Whether a room is listed, and whether its game has begun. */
export interface Lobby {
  readonly isPublic: boolean
  readonly started: boolean
}

/** What a room keeps stored beside its state, each in the order in which the room set it. */
export interface FactWrites {
  readonly alarms: LatestWrite<ReadonlyArray<Alarm>>
  readonly lobby: LatestWrite<Lobby>
  readonly settled: Effect.Effect<void>
}

/** Attempts over about a minute: a database that restarts is no reason to lose an alarm. */
const attempts = {
  schedule: Schedule.exponential("100 millis"),
  times: 9,
  while: (cause: Cause.Cause<unknown>) => !(Cause.squash(cause) instanceof Fenced)
}

export const makeFactWrites = Effect.fnUntraced(function* ({ key, order }: IncarnationStart) {
  const files = yield* RoomFiles
  const rooms = yield* RoomStore
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const kept = (write: Effect.Effect<void, unknown>): Effect.Effect<void> =>
    write.pipe(
      Effect.sandbox,
      Effect.retry(attempts),
      Effect.catch((cause) => Effect.logError("a room's facts could not be stored", cause)),
      Effect.annotateLogs({ project: key.projectId, room: key.roomId })
    )
  const alarms = new LatestWrite<ReadonlyArray<Alarm>>({
    run,
    store: (set) => kept(files.storeAlarms(key, order.epoch, set))
  })
  const lobby = new LatestWrite<Lobby>({ run, store: (set) => kept(rooms.setLobby(key, set)) })
  const writes: FactWrites = {
    alarms,
    lobby,
    settled: Effect.andThen(alarms.settled, lobby.settled)
  }
  return writes
})
