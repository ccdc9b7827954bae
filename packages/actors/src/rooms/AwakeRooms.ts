import { roomKeyText, type RoomKey } from "@atrium/domain/shared/Ids"
import { ServiceLimits } from "@atrium/domain/shared/ServiceLimits"
import { Clock, Context, Effect, Layer, type Scope } from "effect"

import type { Lease } from "../cluster/ShardLeases.ts"
import { RunnerMeter } from "../meters/RunnerMeter.ts"
import { SeatedPlayers } from "../presence/SeatedPlayers.ts"
import { untilBack } from "../store/StoreRetry.ts"
import { VoiceCalls } from "../voice/VoiceCalls.ts"
import { type AwakeRoom, makeAwakeRoom } from "./AwakeRoom.ts"
import { Incarnations } from "./Incarnations.ts"
import { RoomActor } from "./RoomProtocol.ts"
import { RoomTraffic } from "./RoomTraffic.ts"

/** An empty room tells by itself again that it is empty. */
const never = (): boolean => false

/** The rooms that are awake on this runner. The router finds a room's gate here. */
export class AwakeRooms extends Context.Service<
  AwakeRooms,
  {
    /** The room, made if it is not there. Its fibers live in the scope of the caller. */
    make(key: RoomKey, lease: Lease): Effect.Effect<AwakeRoom, never, Scope.Scope>
    find(key: RoomKey): AwakeRoom | undefined
    all(): ReadonlyArray<AwakeRoom>
    /** The traffic of the rooms of this runner. */
    readonly traffic: RoomTraffic
    /** From here on this runner takes no room any more. */
    close(): void
    readonly closing: () => boolean
  }
>()("@atrium/actors/rooms/AwakeRooms") {
  static readonly layer = Layer.effect(
    AwakeRooms,
    Effect.gen(function* () {
      const rooms = new Map<string, AwakeRoom>()
      const traffic = new RoomTraffic()
      const incarnations = yield* Incarnations
      const meter = yield* RunnerMeter
      const seats = yield* SeatedPlayers
      const calls = yield* VoiceCalls
      const actorOf = yield* RoomActor.client

      const scope = yield* Effect.scope

      /** A report that nobody takes is told again, until it is taken or the room is gone. */
      const told = (
        call: Effect.Effect<void, unknown>,
        still: () => boolean,
        done: () => void = () => undefined
      ) =>
        call.pipe(
          Effect.timeout(ServiceLimits.actorCall.ms),
          Effect.sandbox,
          Effect.retry({ schedule: untilBack, while: still }),
          Effect.catch((cause) => Effect.logWarning("a room's report was not taken", cause)),
          Effect.ensuring(Effect.sync(done)),
          Effect.forkIn(scope),
          Effect.asVoid
        )

      const make = Effect.fnUntraced(function* (key: RoomKey, lease: Lease) {
        const text = roomKeyText(key)
        const actor = actorOf(text)
        const here = (): boolean => rooms.get(text) === room
        const room: AwakeRoom = yield* makeAwakeRoom({
          key,
          lease,
          incarnations,
          meter,
          seats,
          calls,
          reports: {
            processExited: (exited, done) => told(actor.ProcessExited(exited), here, done),
            emptied: (seat, reason) => told(actor.PutAway({ ...seat, reason }), never)
          }
        })
        rooms.set(text, room)
        meter.roomCame(room)
        yield* Effect.addFinalizer(() =>
          Effect.map(Clock.currentTimeMillis, (nowMs) => {
            meter.roomWent(room, nowMs)
            traffic.ended(room)
            if (rooms.get(text) === room) rooms.delete(text)
          })
        )
        return room
      })

      let closing = false
      return {
        close: () => {
          closing = true
        },
        closing: () => closing,
        make,
        traffic,
        find: (key) => rooms.get(roomKeyText(key)),
        all: () => [...rooms.values()]
      }
    })
  )
}
