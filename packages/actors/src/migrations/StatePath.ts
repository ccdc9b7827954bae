import { Data } from "effect"

import type { Hop, StepOfVersion } from "./VersionStep.ts"

/** What becomes of stored state on its way from one version to another. */
export type StatePath = Data.TaggedEnum<{
  /** It is taken over by name, with these changes by code on the way. */
  Led: { readonly hops: ReadonlyArray<Hop> }
  /** It is given up; `at` = the newest version that gives it up. */
  Discarded: { readonly at: number }
}>
export const StatePath = Data.taggedEnum<StatePath>()

/** The versions between which stored state goes; `from` wrote it. */
export interface Span {
  readonly from: number
  readonly to: number
}

/**
 * The way of a room's stored state. It goes through every version between, in their order: a room that sleeps
 * since version 3 goes through 4, 5 and 6. Source: C-702.
 *
 * @param steps of the project's versions, ascending
 */
export const roomPath = (
  steps: ReadonlyArray<StepOfVersion>,
  { from, to, type }: Span & { readonly type: string }
): StatePath => {
  const between = steps.filter(({ version }) => version > from && version <= to)
  const discards = between.findLast(({ step }) => step.discards)
  if (discards !== undefined) return StatePath.Discarded({ at: discards.version })
  const hops = between.flatMap(({ step }) => step.rooms[type] ?? [])
  return StatePath.Led({ hops: withoutReturns(hops) })
}

/** The way of stored fields of players, who do not start anew when rooms do. Source: C-707. */
export const playersPath = (
  steps: ReadonlyArray<StepOfVersion>,
  { from, to }: Span
): ReadonlyArray<Hop> => {
  const between = steps.filter(({ version }) => version > from && version <= to)
  return withoutReturns(between.flatMap(({ step }) => step.players))
}

/** The version since which players are stored as they are at the newest of these steps; 0 = from the first on. */
export const playersSince = (steps: ReadonlyArray<StepOfVersion>): number =>
  steps.findLast(({ step }) => step.players.length > 0)?.version ?? 0

/** A change and its way back cancel each other: nothing is lost by going nowhere. */
export const withoutReturns = (hops: ReadonlyArray<Hop>): ReadonlyArray<Hop> => {
  const left: Array<Hop> = []
  for (const hop of hops) {
    const last = left.at(-1)
    if (last !== undefined && last.from === hop.to && last.to === hop.from) left.pop()
    else left.push(hop)
  }
  return left
}

/** Whether a state that cannot be led over these versions keeps its room closed. Source: C-990. */
export const quarantines = (steps: ReadonlyArray<StepOfVersion>, { from, to }: Span): boolean =>
  steps.some(({ version, step }) => version > from && version <= to && step.quarantine === true)

/** The newest version up to one whose rooms stay up on older versions until they are empty; 0 = none. */
export const lastDrain = (steps: ReadonlyArray<StepOfVersion>): number =>
  steps.findLast(({ step }) => step.strategy === "drain")?.version ?? 0
