import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"
import { SchemaError } from "@atrium/wire/schema/SchemaError"

import type { ClientRoom } from "../client/ClientRoom.ts"
import { platformPort } from "../client/PlatformPort.ts"
import { worldSetupOf } from "../physics/Physics.ts"
import type { RapierModule } from "../physics/Rapier.ts"
import { hasVelocity } from "./LocalBody.ts"
import { Prediction, type PredictPort } from "./Prediction.ts"
import { type PredictOptions, predictNumbers } from "./PredictOptions.ts"

/**
 * Simulates the bodies of a room on the client, ahead of what the room tells, so that the player's own bodies answer at once.
 * Own bodies are always simulated ahead. Of the others the nearest 64 are, too, the next 256 are kinematic proxies that follow
 * what the room tells, and the rest is without a local collider.
 *
 * Errors: `RangeError` with the name of an option that is no number; `SchemaError` for `own` of a collection without velocities.
 */
export const predict = <R extends RapierModule, S extends AnyRoomSchema, I = never>(
  room: ClientRoom<S>,
  options: PredictOptions<R, S, I>
): Promise<Prediction<R, S, I>> => predictBy(platformPort, room, options)

/** The same for tests, which give their own clock. */
export const predictBy = async <R extends RapierModule, S extends AnyRoomSchema, I = never>(
  port: PredictPort,
  room: ClientRoom<S>,
  options: PredictOptions<R, S, I>
): Promise<Prediction<R, S, I>> => {
  const numbers = predictNumbers(options)
  const { bindings, dimensions } = worldSetupOf(options.physics)
  for (const name of Object.keys(options.own ?? {})) {
    const binding = bindings.find((each) => each.name === name)
    if (binding === undefined) throw new SchemaError(`predict: own.${name}: has no bodies`)
    if (!hasVelocity(binding, dimensions)) {
      const fields = dimensions === 3 ? "vx, vy, vz" : "vx, vy"
      throw new SchemaError(`predict: own.${name}: needs the number fields ${fields}`)
    }
  }
  await options.physics.ready()
  return new Prediction(room, { ...options, numbers }, port)
}
