import { breakingDifference, fromDescriptor } from "@atrium/wire/schema"
import { playerDifference, stateDifference } from "@atrium/wire/schema/PartDifference"

import type { DeployedType } from "../deployments/DeployedType.ts"
import type { Declared } from "../deployments/DeploymentRow.ts"
import type { VersionTypes } from "../deployments/RoomMover.ts"
import { publicSchema, storedSchema } from "../deployments/StoredSchema.ts"

/** A room type that cannot go on as it is, and the first difference that keeps it from that. */
export interface TypeDifference {
  readonly type: string
  readonly difference: string
}

/** The same, with what it was and is. */
export interface BreakingType extends TypeDifference {
  readonly before: Declared
  /** `null` = the room type is gone. */
  readonly after: DeployedType | null
}

/**
 * Finds the first difference of each room type that stored state, or a connected client of an older version, cannot
 * follow. Source: C-09.
 *
 * @param before what stored rooms were declared as last
 */
export const breakingTypes = (
  before: ReadonlyArray<Declared>,
  after: VersionTypes
): ReadonlyArray<BreakingType> =>
  before.flatMap((old) => {
    const { type } = old.deployed
    const next = after.roomTypes.find((candidate) => candidate.type === type) ?? null
    const difference = next === null ? "the room type is gone" : firstBreak(old.deployed, next)
    return difference === null ? [] : [{ type, difference, before: old, after: next }]
  })

const schemaOf = (deployed: DeployedType) => fromDescriptor(storedSchema(deployed).descriptor)

/** The first difference between two declarations of a type, for clients or for stored state; `null` = none. */
export const firstBreak = (old: DeployedType, next: DeployedType): string | null => {
  const [from, to] = [publicSchema(old), publicSchema(next)]
  const isKnown = from.hash === to.hash
  return (
    (isKnown
      ? null
      : breakingDifference(fromDescriptor(from.descriptor), fromDescriptor(to.descriptor))) ??
    storedBreak(old, next)
  )
}

/** The first difference for stored state alone, hidden state included; `null` = none. */
export const storedBreak = (old: DeployedType, next: DeployedType): string | null =>
  storedSchema(old).hash === storedSchema(next).hash
    ? null
    : breakingDifference(schemaOf(old), schemaOf(next))

/** Whether stored state of a type needs code to go on. */
export const stateBreaks = (old: DeployedType, next: DeployedType): boolean =>
  stateDifference(schemaOf(old), schemaOf(next)) !== null

/** Whether the persisted fields of players that a type declares change so that they do not go on by name. */
export const playersBreak = (old: DeployedType, next: DeployedType | null): boolean =>
  playerDifference(schemaOf(old).player, next === null ? [] : schemaOf(next).player) !== null
