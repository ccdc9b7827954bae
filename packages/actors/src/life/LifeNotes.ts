import type { RoomKey } from "@atrium/domain/shared/Ids"
import { Effect } from "effect"

import type { RoomAction } from "../rooms/RoomState.ts"
import { serverIdOf } from "../servers/ServerProtocol.ts"
import { lifeOfAction, lifeOfStep, type RoomStep } from "./LifeSteps.ts"
import { RoomLives } from "./RoomLives.ts"

/** Writes down what the steps of one room tell of its life. Source: C-772. */
export const makeLifeNotes = Effect.fnUntraced(function* (key: RoomKey) {
  const lives = yield* RoomLives
  const serverId = (serverIndex: number): string => serverIdOf(key.projectId, serverIndex)
  /** The room is on its way to another runner. */
  let moves = false
  return {
    stepped: (step: Omit<RoomStep, "moves">): void => {
      const note = lifeOfStep({ ...step, moves }, serverId)
      if (note !== null) lives.note(key, note)
    },
    performed: (action: RoomAction): void => {
      if (action._tag === "DrainRoom") moves = action.reason === "move"
      const note = lifeOfAction(action)
      if (note !== null) lives.note(key, note)
    }
  }
})
