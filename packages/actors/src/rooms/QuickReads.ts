import type { RoomDetail } from "@atrium/domain/rooms/RoomsApi"
import { Clock, Context, Effect, Layer } from "effect"

import { DeploymentStore } from "../deployments/DeploymentStore.ts"
import { ApiKeyEvent, ApiKeyState, step } from "../keys/ApiKeyMachine.ts"
import { type KeyedRead, type KeyedRoom, KeyedRooms } from "./KeyedRooms.ts"
import { detailsWith } from "./Rooms.ts"

/** Reads of a room by one statement for key, project, room and objects. They refuse nobody. Source: C-926. */
export class QuickReads extends Context.Service<
  QuickReads,
  {
    /** @returns `null` = `ApiKeys.use` and `Rooms.read` tell: they refuse, or note the use of the key */
    read(read: KeyedRead): Effect.Effect<RoomDetail | null>
  }
>()("@atrium/actors/rooms/QuickReads") {
  static readonly layer = Layer.effect(
    QuickReads,
    Effect.gen(function* () {
      const rooms = yield* KeyedRooms
      const detailOf = detailsWith(yield* DeploymentStore)
      return {
        read: Effect.fn("QuickReads.read")(function* (read: KeyedRead) {
          const found = yield* rooms.read(read)
          if (found === null) return null
          if (!mayReadNow(found, read, yield* Clock.currentTimeMillis)) return null
          return yield* detailOf(read, found)
        })
      }
    })
  )
}

/** The key may read rooms, and its actor would note no use of it now. */
const mayReadNow = (
  { scopes, lastUsedMs }: KeyedRoom,
  { projectId }: KeyedRead,
  nowMs: number
): boolean => {
  const state = ApiKeyState.Active({ projectId, scopes, lastUsedMs })
  const asked = ApiKeyEvent.UseAsked({ projectId, scope: "rooms:read", nowMs })
  const [next, answer] = step(state, asked)
  return answer === "granted" && next === state
}
