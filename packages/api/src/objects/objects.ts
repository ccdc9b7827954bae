import { ObjectMoves } from "@atrium/actors/objects/ObjectMoves"
import { apiOf } from "@atrium/domain/http/Api"
import { ObjectsApi, type ObjectsState } from "@atrium/domain/objects/ObjectsApi"
import { isoOf } from "@atrium/domain/shared/IsoText"
import { BadRequest } from "@atrium/domain/shared/Refusal"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

import { makeOperatorOnly } from "../logins/OperatorOnly.ts"

/** Where the bytes of objects are, for the operator of the service. */
export const ObjectsHandlers = HttpApiBuilder.group(
  apiOf(ObjectsApi),
  "objects",
  Effect.fnUntraced(function* (handlers) {
    const moves = yield* ObjectMoves
    const operatorOnly = yield* makeOperatorOnly

    const state = Effect.gen(function* () {
      const { garbage, ...held } = yield* moves.census
      const move = yield* moves.now
      const shown: ObjectsState = {
        place: move.place,
        s3Url: moves.remote,
        ...held,
        garbage,
        move: moveOf(move)
      }
      return shown
    })

    return handlers.handleAll({
      state: Effect.fn("objects.state")(function* () {
        yield* operatorOnly
        return yield* state
      }),
      order: Effect.fn("objects.order")(function* ({ payload: { move } }) {
        yield* operatorOnly
        if (move !== "stop" && moves.remote === null) {
          return yield* new BadRequest({ message: "move: ATRIUM_OBJECTS_URL is not set" })
        }
        yield* move === "stop" ? moves.stop : moves.order(move === "to-s3" ? "s3" : "postgres")
        return yield* state
      })
    })
  })
)

const moveOf = (move: Effect.Success<ObjectMoves["Service"]["now"]>): ObjectsState["move"] => {
  if (move.orderedAtMs === null) return null
  const under = move.afterKey === null ? "done" : "stopped"
  return {
    status: move.moving ? "running" : under,
    moved: { objects: move.movedObjects, bytes: move.movedBytes },
    failed: move.failedObjects,
    orderedAt: isoOf(move.orderedAtMs),
    endedAt: move.endedAtMs === null ? null : isoOf(move.endedAtMs)
  }
}
