import type { Declared, Replaced, Verdict } from "../deployments/DeploymentRow.ts"
import type { VersionTypes } from "../deployments/RoomMover.ts"
import { storedSchema } from "../deployments/StoredSchema.ts"
import { playersDiffer, playersOf } from "./PlayerSchema.ts"
import {
  type BreakingType,
  breakingTypes,
  playersBreak,
  stateBreaks,
  storedBreak,
  type TypeDifference
} from "./TypeDifferences.ts"
import type { Carried, Hop, Strategy, VersionStep } from "./VersionStep.ts"

/** What the developer allows a deployment to do. */
export interface DeployWish {
  /** Stored state may be led on by the migrations of the bundle. */
  readonly allowBreaking: boolean
  readonly strategy: Strategy
  /** Rooms whose state cannot be led on are closed, and do not keep the version from being deployed. */
  readonly quarantine: boolean
}

/** The default wish of a deployment. */
export const atOnce: DeployWish = { allowBreaking: false, strategy: "migrate", quarantine: false }

/** What keeps the rooms of the current version from following; at least one. */
export interface Breaks {
  readonly _tag: "Breaks"
  readonly types: ReadonlyArray<TypeDifference>
}

/** Another version was made after the facts of the judgement were read. */
export interface Raced {
  readonly _tag: "Raced"
}

/** A version that is to be deployed. */
export interface NextVersion extends VersionTypes {
  readonly migrations: ReadonlyArray<Carried>
}

/** The declarations of room types that are not in the current version, as they were last. */
export interface Earlier {
  /** The version that was current then; `null` = none. */
  readonly seen: number | null
  readonly declared: ReadonlyMap<string, Declared>
}

interface Deploying {
  readonly projectId: string
  readonly next: NextVersion
  readonly earlier: Earlier
  readonly wish: DeployWish
  /** The version that it comes after, and no other; absent = any. */
  readonly replaces?: number | undefined
}

/**
 * Judges a deployment by what it would replace. A breaking one is refused, unless its developer allows it and
 * its migrations lead over every difference, or the project is in its `preRelease`: then every room of an
 * older version starts anew. Spec: Versioning; C-09, C-701, C-704.
 */
export const judgeDeploy = (
  { projectId, next, earlier, wish, replaces }: Deploying,
  { current, next: version, preRelease }: Replaced
): Verdict<Breaks | Raced> => {
  if (replaces !== undefined && current?.version !== replaces) {
    return { _tag: "Refused", because: { _tag: "Raced" } }
  }
  // Rooms without code start anew with another schema, and move at once.
  if (current === null || current.relay || next.relay) return null
  if (current.version !== earlier.seen) return { _tag: "Refused", because: { _tag: "Raced" } }
  const leading = { before: declaredBefore(current, earlier), current, next, version }
  const types = breakingTypes(leading.before, next)
  if (wish.allowBreaking) {
    const led = ledBy(leading, types)
    if (led._tag === "Breaks") return { _tag: "Refused", because: led }
    const { rooms, players } = led.hops
    if (players.length + Object.keys(rooms).length === 0) return plain(wish)
    return { _tag: "Taken", step: { ...stepOf(wish), ...led.hops } }
  }
  // While a game is being written its rooms may start anew; nowhere else.
  if (projectId === "dev") return plain(wish)
  const because = types.length > 0 ? types.map(shown) : unasked(leading)
  if (because.length === 0) return plain(wish)
  if (preRelease && types.length > 0) {
    return { _tag: "Taken", step: { ...stepOf(wish), discards: true } }
  }
  return { _tag: "Refused", because: { _tag: "Breaks", types: because } }
}

const shown = ({ type, difference }: TypeDifference): TypeDifference => ({ type, difference })

/** Rooms that follow at once and by name need no step. */
const plain = (wish: DeployWish): Verdict<never> =>
  wish.strategy === "migrate" && !wish.quarantine ? null : { _tag: "Taken", step: stepOf(wish) }

const stepOf = ({ strategy, quarantine }: DeployWish): VersionStep => ({
  strategy,
  discards: false,
  ...(quarantine ? { quarantine } : {}),
  rooms: {},
  players: []
})

/** What stored rooms were declared as last: a type that comes back has old rooms, too. */
const declaredBefore = (
  { version, roomTypes }: Pick<VersionTypes, "roomTypes"> & { readonly version: number },
  { declared }: Earlier
): ReadonlyArray<Declared> => [
  ...roomTypes.map((deployed) => ({ version, deployed })),
  ...[...declared.values()].filter(
    ({ deployed }) => !roomTypes.some(({ type }) => type === deployed.type)
  )
]

interface Leading {
  /** What stored rooms were declared as last. */
  readonly before: ReadonlyArray<Declared>
  readonly current: Pick<VersionTypes, "roomTypes"> & { readonly version: number }
  readonly next: NextVersion
  readonly version: number
}

interface Led {
  readonly _tag: "Led"
  readonly hops: Pick<VersionStep, "rooms" | "players">
}

/** The changes that lead over all differences, or the differences over which none leads. */
const ledBy = (leading: Leading, types: ReadonlyArray<BreakingType>): Led | Breaks => {
  const left = types.filter((breaking) => !isLed(leading, breaking)).map(unled)
  const [rooms, players] = [roomHops(leading), playersHop(leading)]
  const difference = players.length > 0 ? null : playersLeft(leading, types)
  if (difference !== null) left.push(unled({ type: "player", difference }))
  if (left.length > 0) return { _tag: "Breaks", types: left }
  return { _tag: "Led", hops: { rooms, players } }
}

const unled = ({ type, difference }: TypeDifference): TypeDifference => ({
  type,
  difference: `${difference}; no migration leads over it`
})

/** Migrations that fit where nothing breaks; the developer has to allow these, too. */
const unasked = (leading: Leading): ReadonlyArray<TypeDifference> => {
  const types = Object.keys(roomHops(leading))
  const all = playersHop(leading).length > 0 ? [...types, "player"] : types
  const difference = "a migration changes what is stored, and --allow-breaking was not said"
  return all.map((type) => ({ type, difference }))
}

/** Whether a migration names the change, and has code where the state needs it. */
const isLed = ({ next }: Leading, { type, before, after }: BreakingType): boolean => {
  // Public state becomes hidden: clients lose it, and stored state goes on by name.
  if (after !== null && storedBreak(before.deployed, after) === null) return true
  const from = storedSchema(before.deployed).hash
  const to = after === null ? null : storedSchema(after).hash
  const entry = carriedFor(next.migrations, { type, from, to })
  if (entry === undefined) return false
  return after === null || entry.code || !stateBreaks(before.deployed, after)
}

/** The changes by code of all room types, also of those that would go by name. */
const roomHops = ({ before, next, version }: Leading): Led["hops"]["rooms"] => {
  const hops: Record<string, ReadonlyArray<Hop>> = {}
  for (const { version: from, deployed } of before) {
    const { type } = deployed
    const after = next.roomTypes.find((candidate) => candidate.type === type)
    if (after === undefined) continue
    const key = { type, from: storedSchema(deployed).hash, to: storedSchema(after).hash }
    if (key.from !== key.to && carriedFor(next.migrations, key)?.code === true)
      hops[type] = [{ from, to: version }]
  }
  return hops
}

const playersHop = ({ current, next, version }: Leading): ReadonlyArray<Hop> => {
  const [from, to] = [playersOf(current).hash, playersOf(next).hash]
  const isCarried = carriedFor(next.migrations, { type: null, from, to }) !== undefined
  return isCarried && from !== to ? [{ from: current.version, to: version }] : []
}

/** The first difference of the players' fields that do not go on by name; `null` = none. */
const playersLeft = (
  { current, next }: Leading,
  types: ReadonlyArray<BreakingType>
): string | null => {
  const isBroken = types.some(({ before, after }) => playersBreak(before.deployed, after))
  const difference = isBroken ? playersDiffer(playersOf(current), playersOf(next)) : null
  return difference === null ? null : difference.replace(/^player\./, "")
}

/** The change between two schemas, if a bundle has it. */
export const carriedFor = (
  migrations: ReadonlyArray<Carried>,
  { type, from, to }: Pick<Carried, "type" | "from" | "to">
): Carried | undefined =>
  migrations.find((each) => each.type === type && each.from === from && each.to === to)
