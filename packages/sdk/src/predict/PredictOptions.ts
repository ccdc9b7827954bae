import type { CollectionOf } from "@atrium/runtime/physics/RoomPhysics"
import { PredictionLimits } from "@atrium/wire/physics/PredictionLimits"
import type { EntityViewOf, PartOf, ViewOf } from "@atrium/wire/schema/Inference"
import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"

import type { Physics } from "../physics/Physics.ts"
import type { BodyOf, RapierModule, WorldOf } from "../physics/Rapier.ts"
import type { PredictionBudgets } from "./BodyRoles.ts"

type SeenIn<S, K> = K extends keyof PartOf<S, "entities">
  ? EntityViewOf<PartOf<S, "entities">[K]>
  : never

/** The local world as the game's own functions get it. */
export interface PredictedWorld<R extends RapierModule, S extends AnyRoomSchema> {
  /** Rapier's own world of this client. */
  readonly world: WorldOf<R>
  /** The tick of the local world. */
  readonly tick: number
  /** The local body of an entity; `undefined` = it has none. */
  bodyOf(
    collection: CollectionOf<S>,
    entity: number | { readonly id: number }
  ): BodyOf<R> | undefined
}

/** How a client predicts a room. */
export interface PredictOptions<
  R extends RapierModule,
  S extends AnyRoomSchema,
  I = never
> extends PredictionBudgets {
  /** The physics of the room type, the very one that the room is defined with. */
  readonly physics: Physics<R, S>
  /** The tick of the state, which room code has written in `onTick`. */
  tick(state: ViewOf<S>): number
  /** Which entities are the player's own, by collection. They need velocities among their fields. */
  readonly own?: { readonly [K in CollectionOf<S>]?: (entity: SeenIn<S, K>) => boolean }
  /** What an input does to the player's bodies: the same as in the room. Left out: the game has no inputs. */
  apply?(input: I, made: PredictedWorld<R, S>): void
  /**
   * The `seq` of the last input that the room has applied, as of this state. Left out: an input has been applied at the tick
   * for which it was.
   */
  acked?(state: ViewOf<S>): number
  /** What room code does to bodies at each tick, before the world steps. */
  onTick?(made: PredictedWorld<R, S>, step: { readonly tick: number }): void
  /** A prediction that is off by more is corrected. 0.02 when left out. */
  readonly toleranceUnits?: number
  /** A correction is drawn little by little: after this time a third of it is left. 100 when left out. */
  readonly smoothingMs?: number
  /** A correction by more than this is drawn at once. 5 when left out. */
  readonly jumpUnits?: number
  /** Proxies are drawn where the room had them so long ago, so that late states come in time. 100 when left out. */
  readonly interpolationMs?: number
}

/** The numbers of the options, whole. */
export interface PredictNumbers extends Required<PredictionBudgets> {
  readonly toleranceUnits: number
  readonly smoothingMs: number
  readonly jumpUnits: number
  readonly interpolationMs: number
}

type Given = Partial<PredictNumbers>

/** Fills in what is left out. Errors: `RangeError` with the name of an option that is none. */
export const predictNumbers = (given: Given): PredictNumbers => ({
  maxPredictedBodies: whole(given, "maxPredictedBodies", PredictionLimits.predictedBodies.max),
  maxProxyBodies: whole(given, "maxProxyBodies", PredictionLimits.proxyBodies.max),
  toleranceUnits: positive(given, "toleranceUnits", 0.02),
  smoothingMs: positive(given, "smoothingMs", 100),
  jumpUnits: positive(given, "jumpUnits", 5),
  interpolationMs: positive(given, "interpolationMs", 100)
})

const whole = (given: Given, name: keyof Given, otherwise: number): number => {
  const value: unknown = given[name] === undefined ? otherwise : given[name]
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value
  throw new RangeError(`predict: ${name}: must be a whole number from 0 on, not ${String(value)}`)
}

const positive = (given: Given, name: keyof Given, otherwise: number): number => {
  const value: unknown = given[name] === undefined ? otherwise : given[name]
  if (typeof value === "number" && Number.isFinite(value) && value >= 0) return value
  throw new RangeError(`predict: ${name}: must be a number from 0 on, not ${String(value)}`)
}
