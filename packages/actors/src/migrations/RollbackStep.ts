import type { DeployedType } from "../deployments/DeployedType.ts"
import type { DeploymentRow, Replaced, Verdict } from "../deployments/DeploymentRow.ts"
import { storedSchema } from "../deployments/StoredSchema.ts"
import { type Breaks, carriedFor, type Raced } from "./NextStep.ts"
import { playersDiffer, playersOf } from "./PlayerSchema.ts"
import { withoutReturns } from "./StatePath.ts"
import { firstBreak, stateBreaks, type TypeDifference } from "./TypeDifferences.ts"
import type { Hop, StepOfVersion, VersionStep } from "./VersionStep.ts"

/** A change that has no way back. */
export interface NoWayBack {
  readonly _tag: "NoWayBack"
  readonly why: string
}

/** A rollback, and what lies between the current version and its target. */
export interface RollingBack {
  readonly target: DeploymentRow
  /** The version that was current when the rest was read. */
  readonly seen: number
  /** The steps of the versions up to that one, ascending. */
  readonly steps: ReadonlyArray<StepOfVersion>
  /** Every version that a change between names. */
  readonly rows: ReadonlyMap<number, DeploymentRow>
}

/**
 * Judges a rollback: stored state goes back as it came, by the ways back of the migrations between. Where it
 * came by name it goes by name, too; what the newer schema added may be missing then. Source: C-34, C-350,
 * C-685, C-708.
 */
export const judgeRollback = (
  rolling: RollingBack,
  { current, preRelease }: Replaced
): Verdict<Breaks | NoWayBack | Raced> => {
  const { target, seen } = rolling
  if (current === null || current.relay || target.relay) return null
  if (current.version !== seen) return refused({ _tag: "Raced" })
  const between = rolling.steps.filter(({ version }) => version > target.version)
  const parts = [...roomWays(rolling, current, between), playersWay(rolling, current, between)]
  const broken = parts.flatMap(({ breaks }) => breaks ?? [])
  const [lacks] = parts.flatMap((part) => part.lacks ?? [])
  if (broken.length > 0 || lacks !== undefined) {
    // As at a deploy: a room whose state cannot be read starts cold. Source: C-34.
    if (target.projectId === "dev") return null
    if (preRelease) return { _tag: "Taken", step: discarding }
    if (lacks !== undefined) return refused({ _tag: "NoWayBack", why: lacks })
    return refused({ _tag: "Breaks", types: broken })
  }
  const rooms: Record<string, ReadonlyArray<Hop>> = {}
  for (const { type, hops } of parts) if (type !== null && hops.length > 0) rooms[type] = hops
  const players = parts.find(({ type }) => type === null)?.hops ?? []
  const isPlain = players.length === 0 && Object.keys(rooms).length === 0
  return isPlain
    ? null
    : { _tag: "Taken", step: { ...discarding, discards: false, rooms, players } }
}

const discarding: VersionStep = { strategy: "migrate", discards: true, rooms: {}, players: [] }

const refused = <R>(because: R) => ({ _tag: "Refused", because }) as const

/** The way back of one room type, or of the players (`null`). */
interface WayBack {
  readonly type: string | null
  readonly hops: ReadonlyArray<Hop>
  /** A difference over which nothing leads; `null` = none. */
  readonly breaks: TypeDifference | null
  /** A change without a way back; `null` = none. */
  readonly lacks: string | null
}

const roomWays = (
  rolling: RollingBack,
  current: DeploymentRow,
  between: ReadonlyArray<StepOfVersion>
): ReadonlyArray<WayBack> =>
  current.roomTypes.map(({ type }) => {
    const hops = reversed(between.map(({ step }) => step.rooms[type] ?? []))
    const lacks = hops.flatMap((hop) => lacksOf(rolling, type, hop) ?? [])[0] ?? null
    const places = [current.version, ...hops.flatMap(({ from, to }) => [from, to])]
    return { type, hops, lacks, breaks: lacks === null ? breakOf(rolling, type, places) : null }
  })

const playersWay = (
  rolling: RollingBack,
  current: DeploymentRow,
  between: ReadonlyArray<StepOfVersion>
): WayBack => {
  const hops = reversed(between.map(({ step }) => step.players))
  const lacks = hops.flatMap((hop) => lacksOf(rolling, null, hop) ?? [])[0] ?? null
  const none = { type: null, hops, lacks, breaks: null }
  // Without a change by code the room types say what breaks.
  if (lacks !== null || hops.length === 0) return none
  const last = rolling.rows.get(hops.at(-1)?.to ?? 0) ?? current
  const [newer, older] = [playersOf(last), playersOf(rolling.target)]
  const difference = playersDiffer(older, newer) === null ? null : playersDiffer(newer, older)
  return difference === null ? none : { ...none, breaks: { type: "player", difference } }
}

const reversed = (steps: ReadonlyArray<ReadonlyArray<Hop>>): ReadonlyArray<Hop> =>
  withoutReturns(
    steps
      .toReversed()
      .flatMap((hops) => hops.toReversed().map(({ from, to }) => ({ from: to, to: from })))
  )

const declaredAt = ({ rows, target }: RollingBack, type: string, version: number) => {
  const row = version === target.version ? target : rows.get(version)
  return row?.roomTypes.find((deployed) => deployed.type === type) ?? null
}

/** The first difference between the places at which state goes by name. */
const breakOf = (
  rolling: RollingBack,
  type: string,
  [first = 0, ...others]: ReadonlyArray<number>
): TypeDifference | null => {
  let at = first
  for (let place = 0; place <= others.length; place += 2) {
    const to = others[place] ?? rolling.target.version
    const [old, next] = [declaredAt(rolling, type, at), declaredAt(rolling, type, to)]
    if (old !== null && next === null) return { type, difference: "the room type is gone" }
    const difference = old === null || next === null ? null : breakBetween(rolling, old, next)
    if (difference !== null) return { type, difference }
    at = others[place + 1] ?? to
  }
  return null
}

/**
 * A room whose state has what only the newer schema holds stays on its version. A migration that names the
 * change has seen what is not stored with rooms: messages, calls, players.
 */
const breakBetween = (
  { rows }: RollingBack,
  old: DeployedType,
  next: DeployedType
): string | null => {
  const difference = firstBreak(next, old) === null ? null : firstBreak(old, next)
  if (difference === null || stateBreaks(old, next)) return difference
  const key = { type: old.type, from: storedSchema(next).hash, to: storedSchema(old).hash }
  const isNamed = [...rows.values()].some(({ migrations }) => carriedFor(migrations, key))
  return isNamed ? null : difference
}

/** The sentence that says that a change cannot be undone; `null` = it can. */
const lacksOf = ({ rows }: RollingBack, type: string | null, { from, to }: Hop): string | null => {
  const newer = rows.get(Math.max(from, to))
  const older = rows.get(Math.min(from, to))
  if (newer === undefined || older === undefined)
    return `version ${Math.min(from, to)} is not there`
  const hashOf = (row: DeploymentRow): string | null => {
    if (type === null) return playersOf(row).hash
    const deployed = row.roomTypes.find((each) => each.type === type)
    return deployed === undefined ? null : storedSchema(deployed).hash
  }
  const key = { type, from: hashOf(older) ?? "", to: hashOf(newer) }
  const entry = carriedFor(newer.migrations, key)
  const has = from > to ? entry?.back : entry?.code
  return has === true
    ? null
    : `the migration to version ${newer.version} has no way back for ${type ?? "players"}`
}

/** The versions that the changes between name. */
export const namedVersions = (
  steps: ReadonlyArray<StepOfVersion>,
  target: number
): ReadonlySet<number> =>
  new Set(
    steps
      .filter(({ version }) => version > target)
      .flatMap(({ step }) => [...Object.values(step.rooms).flat(), ...step.players])
      .flatMap(({ from, to }) => [from, to])
  )
