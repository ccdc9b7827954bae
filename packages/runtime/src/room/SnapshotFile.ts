import { MsgpackError, type Plain, unpackValue } from "@atrium/wire/msgpack/MsgpackReader"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"
import type { VoiceGroups } from "@atrium/wire/voice/VoiceGroups"

import type { SavedWorld } from "../physics/PhysicsEngine.ts"
import type { MatchPlace } from "./RoomClient.ts"
import type { RandomState } from "./SeededRandom.ts"

/** A session as a snapshot keeps it. */
export interface SavedSession {
  readonly id: string
  readonly playerId: string
  readonly name: string | null
  readonly role: string
  /** The place that a match gave the player. Absent = none. */
  readonly match?: MatchPlace
  readonly resumeHash: string
  readonly previousResumeHash: string | null
  /** `null` = was connected. */
  readonly droppedAtMs: number | null
  /** Absent = room code has given the client no voice groups. */
  readonly voice?: VoiceGroups
  /** The player's persisted fields at that time. */
  readonly player: Uint8Array
}

/** All of a room that outlives its process. */
export interface RoomSnapshot {
  /** As `RoomState.encodeSnapshot` wrote it. */
  readonly state: Uint8Array
  /** The hash of the schema of all that is stored; absent = there is no hidden state. */
  readonly layout?: string
  readonly sessions: ReadonlyArray<SavedSession>
  /** Ticks that have run. */
  readonly tick: number
  /** Patches that were sent: the tick of the wire. */
  readonly patches: number
  readonly random: RandomState
  readonly lobby: { readonly isPublic: boolean; readonly started: boolean }
  /** The physics world; absent = the room had none. Last, as readers that know none skip it. */
  readonly physics?: SavedWorld
}

const Version = 1
/** Room for sessions and numbers, so that the buffer of a large state is not copied to take them. */
const BytesBesideState = 4096

/**
 * A snapshot as one msgpack map. Readers go by name and must take absent names and skip unknown
 * ones: snapshots are kept for ever. Source: spec Versioning; D-48.
 */
export const encodeSnapshotFile = (snapshot: RoomSnapshot): Uint8Array =>
  packValue({ v: Version, ...snapshot }, snapshot.state.length + BytesBesideState)

/** Errors: {@link MsgpackError}, for bytes that are not a snapshot of a known version. */
export const decodeSnapshotFile = (bytes: Uint8Array): RoomSnapshot => {
  const file = mapOf(unpackValue(bytes), "the snapshot")
  if (file["v"] !== Version) throw wrong("v")
  const state = file["state"]
  if (!(state instanceof Uint8Array)) throw wrong("state")
  const lobby = mapOf(file["lobby"] ?? {}, "lobby")
  const layout = file["layout"]
  return {
    state,
    ...(typeof layout === "string" ? { layout } : {}),
    sessions: listOf(file["sessions"]).map(sessionOf),
    tick: wholeOf(file["tick"]),
    patches: wholeOf(file["patches"]),
    random: randomOf(file["random"]),
    lobby: { isPublic: lobby["isPublic"] === true, started: lobby["started"] === true },
    ...worldOf(file["physics"])
  }
}

type PlainMap = { readonly [key: string]: Plain }

const wrong = (what: string): MsgpackError =>
  new MsgpackError(`the snapshot cannot be read: ${what} is malformed`)

const mapOf = (value: Plain, what: string): PlainMap => {
  if (typeof value !== "object" || value === null) throw wrong(what)
  if (Array.isArray(value) || value instanceof Uint8Array) throw wrong(what)
  // The other member of the union: TypeScript does not narrow by Array.isArray on a ReadonlyArray.
  return value as PlainMap
}

const listOf = (value: Plain | undefined): ReadonlyArray<Plain> => {
  if (value === undefined) return []
  if (!Array.isArray(value)) throw wrong("sessions")
  return value
}

const wholeOf = (value: Plain | undefined): number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : 0

const textOf = (map: PlainMap, name: string): string => {
  const value = map[name]
  if (typeof value !== "string") throw wrong(`sessions.${name}`)
  return value
}

const textOrNull = (map: PlainMap, name: string): string | null =>
  map[name] === null || map[name] === undefined ? null : textOf(map, name)

const sessionOf = (value: Plain): SavedSession => {
  const map = mapOf(value, "sessions")
  const droppedAtMs = map["droppedAtMs"]
  const player = map["player"]
  return {
    id: textOf(map, "id"),
    playerId: textOf(map, "playerId"),
    name: textOrNull(map, "name"),
    role: textOf(map, "role"),
    ...matchOf(map["match"]),
    ...voiceOf(map["voice"]),
    resumeHash: textOf(map, "resumeHash"),
    previousResumeHash: textOrNull(map, "previousResumeHash"),
    droppedAtMs: typeof droppedAtMs === "number" ? droppedAtMs : null,
    player: player instanceof Uint8Array ? player : new Uint8Array(0)
  }
}

const matchOf = (value: Plain | undefined): { readonly match?: MatchPlace } => {
  if (value === undefined) return {}
  const map = mapOf(value, "sessions.match")
  const team = map["team"]
  return {
    match: {
      queue: textOf(map, "queue"),
      team: typeof team === "number" ? team : null,
      party: textOrNull(map, "party")
    }
  }
}

const voiceOf = (value: Plain | undefined): { readonly voice?: VoiceGroups } => {
  if (value === undefined) return {}
  const map = mapOf(value, "sessions.voice")
  const names = (side: string): ReadonlyArray<string> =>
    listOf(map[side]).filter((name) => typeof name === "string")
  return { voice: { speaks: names("speaks"), hears: names("hears") } }
}

const worldOf = (value: Plain | undefined): { readonly physics?: SavedWorld } => {
  if (value === undefined) return {}
  const { engine, world, bodies } = mapOf(value, "physics")
  if (typeof engine !== "string") throw wrong("physics.engine")
  if (!(world instanceof Uint8Array)) throw wrong("physics.world")
  const handles = Object.entries(mapOf(bodies ?? null, "physics.bodies")).map(([name, bytes]) => {
    if (!(bytes instanceof Uint8Array)) throw wrong(`physics.bodies.${name}`)
    return [name, bytes] as const
  })
  return { physics: { engine, world, bodies: Object.fromEntries(handles) } }
}

const randomOf = (value: Plain | undefined): RandomState => {
  const [a, b, c, d] = listOf(value).map(wholeOf)
  if (a === undefined || b === undefined || c === undefined || d === undefined) {
    throw wrong("random")
  }
  return [a, b, c, d]
}
