import fc from "fast-check"

import type { Machine, Model, Outcome } from "./Machine.ts"

export type RoomName = "arena" | "lobby"

/** What a PATCH says; `clazz` is a field that the route does not take. */
export interface RoomPatch {
  readonly retention?: string | null
  readonly public?: boolean
  readonly clazz?: string
}

type ClientKind = "join" | "add" | "save" | "start" | "leave"

export type RoomDeed =
  | { readonly kind: ClientKind; readonly room: RoomName }
  | { readonly kind: "patch"; readonly room: RoomName; readonly body: RoomPatch }
  | { readonly kind: "delete"; readonly room: RoomName; readonly force: boolean }
  /** To the generation of that place in the list, from 0; null = to one that is not there. */
  | { readonly kind: "restore"; readonly room: RoomName; readonly at: number | null }
  /** Every server of the project dies; clients come back. */
  | { readonly kind: "kill"; readonly room: RoomName }
  /** A further version with the same room code, while nobody plays. */
  | { readonly kind: "deploy"; readonly room: RoomName }

/** The same; of a restore the place may be beyond the list. */
export type RoomCommand = RoomDeed

interface RoomThere {
  /** Our own clients in it: a room is awake while there are any. */
  readonly clients: number
  readonly value: number
  /** Of what was stored durably, newest first. */
  readonly saves: ReadonlyArray<SaveThere>
  readonly override: string | null
  readonly listed: boolean
  readonly started: boolean
}

interface SaveThere {
  readonly value: number
  /** The deployment that the room ran. */
  readonly version: number
}

/** Of a room null = neither row nor stored state. */
export interface RoomState extends Readonly<Record<RoomName, RoomThere | null>> {
  /** Of the newest deployment. */
  readonly version: number
}

/** The fields of a room that are read. */
export interface RoomView {
  readonly awake: boolean
  /** Of the list and of the single read. */
  readonly override: string | null
  readonly saves: number
  /** The value that its clients read; null = it has no clients. */
  readonly value: number | null
  /** In the public registry; null = it is asleep, of which nothing is said. */
  readonly listed: boolean | null
}
export type RoomViews = Readonly<Record<RoomName, RoomView | null>>

const generationsMax = 10
const fresh: RoomThere = {
  clients: 0,
  value: 0,
  saves: [],
  override: null,
  listed: false,
  started: false
}
const notFound = "404 E_ROOM_NOT_FOUND"

const viewOf = (room: RoomThere | null): RoomView | null =>
  room === null
    ? null
    : {
        awake: room.clients > 0,
        override: room.override,
        saves: room.saves.length,
        value: room.clients > 0 ? room.value : null,
        listed: room.clients > 0 ? room.listed : null
      }

/** The newest generations of each version are kept. */
const withSave = (room: RoomThere, save: SaveThere): RoomThere => {
  const saves = [save, ...room.saves]
  const isKept = ({ version }: SaveThere, at: number): boolean =>
    saves.slice(0, at).filter((newer) => newer.version === version).length < generationsMax
  return { ...room, saves: saves.filter(isKept) }
}

/** Asleep, with a generation more or not: when one is made is ours to say. Source: D-48. */
const asleep = (room: RoomThere, version: number): ReadonlyArray<RoomThere> => {
  const slept = { ...room, clients: 0 }
  return room.clients === 0 ? [slept] : [withSave(slept, { value: room.value, version }), slept]
}

const durations = new Set(["10m", "36h", "30d", "forever"])
const isTaken = ({ retention, clazz }: RoomPatch): boolean =>
  clazz === undefined && (retention === undefined || retention === null || durations.has(retention))

/** Two rooms of one project. Spec: States and transitions; Rooms, rules 1 to 8. */
export const roomMachine: Machine<RoomState, RoomDeed, RoomViews> = {
  initial: { arena: null, lobby: null, version: 1 },
  view: (state) => ({ arena: viewOf(state.arena), lobby: viewOf(state.lobby) }),
  step: (state, deed) => {
    const room = state[deed.room]
    const same = (answer: string): Outcomes => [{ answer, state }]
    const put = (answer: string, ...next: ReadonlyArray<RoomThere | null>): Outcomes =>
      next.map((each) => ({ answer, state: { ...state, [deed.room]: each } }))
    const { version } = state
    if (deed.kind === "deploy") return [{ answer: "ok", state: { ...state, version: version + 1 } }]
    if (deed.kind === "patch" && !isTaken(deed.body)) return same("400 E_BAD_REQUEST")
    if (deed.kind === "join") {
      const joined = room ?? fresh
      return put(`value ${joined.value}`, { ...joined, clients: joined.clients + 1 })
    }
    if (room === null) return same(notFound)
    switch (deed.kind) {
      case "add":
        return put(`value ${room.value + 1}`, { ...room, value: room.value + 1 })
      case "save":
        return put("ok", withSave(room, { value: room.value, version }))
      case "start":
        return put("ok", { ...room, started: true })
      case "leave":
        return room.clients > 1
          ? put("ok", { ...room, clients: room.clients - 1 })
          : put("ok", ...asleep(room, version))
      case "kill":
        return same(`value ${room.value}`)
      case "patch":
        return patched(room, deed.body, { same, put })
      case "delete":
        return room.clients > 0 && !deed.force ? same("409 E_ROOM_IN_USE") : put("ok", null)
      case "restore":
        return restored(state, deed)
    }
  }
}

type Outcomes = ReadonlyArray<Outcome<RoomState>>

const patched = (
  room: RoomThere,
  body: RoomPatch,
  answers: {
    readonly same: (answer: string) => Outcomes
    readonly put: (answer: string, room: RoomThere) => Outcomes
  }
): Outcomes => {
  if (room.started && body.public !== undefined) return answers.same("409 E_ROOM_STARTED")
  const override = body.retention === undefined ? room.override : body.retention
  return answers.put("ok", { ...room, override, listed: body.public ?? room.listed })
}

/** Every room of the project is asleep then, the others as they were. */
const restored = (
  state: RoomState,
  { room: name, at }: Extract<RoomDeed, { readonly kind: "restore" }>
): Outcomes => {
  const room = state[name]
  const save = at === null ? undefined : room?.saves[at]
  if (room === null || save === undefined) return [{ answer: "404 E_SAVE_NOT_FOUND", state }]
  const back = withSave({ ...room, clients: 0, value: save.value }, save)
  const other = name === "arena" ? "lobby" : "arena"
  const there = state[other]
  const others = there === null ? [null] : asleep(there, state.version)
  return others.map((each) => ({ answer: "ok", state: { ...state, [name]: back, [other]: each } }))
}

const needsClient: ReadonlySet<RoomDeed["kind"]> = new Set([
  "add",
  "save",
  "start",
  "leave",
  "kill"
])

export const roomModel: Model<RoomState, RoomCommand, RoomDeed, RoomViews> = {
  machine: roomMachine,
  bind: (command, { states: [state] }) => {
    const room = state?.[command.room] ?? null
    const clients = (state?.arena?.clients ?? 0) + (state?.lobby?.clients ?? 0)
    // A deed of a client in an empty room becomes a join.
    if (needsClient.has(command.kind) && (room?.clients ?? 0) === 0) {
      return { kind: "join", room: command.room }
    }
    if (command.kind === "join" && (room?.clients ?? 0) >= 3) return null
    if (command.kind === "deploy" && clients > 0) return null
    if (command.kind !== "restore" || command.at === null) return command
    const saves = room?.saves.length ?? 0
    return { ...command, at: saves === 0 ? null : Math.min(command.at, saves - 1) }
  },
  tell: (deed) => {
    switch (deed.kind) {
      case "patch":
        return `patch ${deed.room} ${JSON.stringify(deed.body)}`
      case "delete":
        return `delete ${deed.room}${deed.force ? " by force" : ""}`
      case "restore":
        return `restore ${deed.room} to ${deed.at === null ? "no save" : `save ${deed.at + 1}`}`
      case "kill":
        return "kill the servers"
      case "deploy":
        return "deploy"
      case "join":
      case "add":
      case "save":
      case "start":
      case "leave":
        return `${deed.kind} ${deed.room}`
    }
  }
}

const room = fc.constantFrom<RoomName>("arena", "arena", "arena", "lobby")
const deed = (kind: ClientKind): fc.Arbitrary<RoomCommand> =>
  fc.record({ kind: fc.constant(kind), room })

const body: fc.Arbitrary<RoomPatch> = fc.oneof(
  fc.record({ retention: fc.constantFrom("10m", "36h", "30d", "forever", null) }),
  fc.record({ public: fc.boolean() }),
  fc.record({ retention: fc.constantFrom("36h", "30d", null), public: fc.boolean() }),
  fc.record({ retention: fc.constant("36h"), clazz: fc.constant("large") }),
  fc.record({ retention: fc.constant("soon"), public: fc.constant(true) })
)

/** The commands that are tried everywhere, the frequent ones twice. */
export const roomCommands: ReadonlyArray<fc.Arbitrary<RoomCommand>> = [
  deed("join"),
  deed("add"),
  deed("add"),
  deed("save"),
  deed("start"),
  deed("leave"),
  deed("leave"),
  deed("leave"),
  fc.record({ kind: fc.constant("patch" as const), room, body }),
  fc.record({ kind: fc.constant("patch" as const), room, body }),
  fc.record({ kind: fc.constant("delete" as const), room, force: fc.boolean() }),
  fc.record({
    kind: fc.constant("restore" as const),
    room,
    at: fc.constantFrom(0, 0, 1, 2, null)
  }),
  fc.record({ kind: fc.constant("deploy" as const), room: fc.constant("arena" as const) })
]

/** The further command where servers can be killed. */
export const killCommand: fc.Arbitrary<RoomCommand> = fc.record({
  kind: fc.constant("kill" as const),
  room
})

const inArena = (...kinds: ReadonlyArray<ClientKind>): ReadonlyArray<RoomCommand> =>
  kinds.map((kind) => ({ kind, room: "arena" }))
const patchArena = (own: RoomPatch): RoomCommand => ({ kind: "patch", room: "arena", body: own })
const restoreArena = (at: number): RoomCommand => ({ kind: "restore", room: "arena", at })

/** Saves, wakes, restores and deploys, each again after another. */
export const roomStory: ReadonlyArray<RoomCommand> = [
  ...inArena("join", "add", "save", "save", "add", "leave"),
  patchArena({ retention: "36h" }),
  restoreArena(1),
  ...inArena("join", "add", "save", "leave"),
  restoreArena(0),
  restoreArena(0),
  { kind: "join", room: "lobby" },
  { kind: "add", room: "lobby" },
  ...inArena("join", "join", "add"),
  patchArena({ public: true }),
  restoreArena(2),
  { kind: "deploy", room: "arena" },
  { kind: "join", room: "lobby" },
  ...inArena("join", "add", "leave"),
  restoreArena(1),
  ...inArena("join", "start"),
  patchArena({ retention: "30d", public: false }),
  patchArena({ retention: null }),
  ...inArena("leave", "join"),
  patchArena({ public: true }),
  patchArena({ retention: "10m" }),
  { kind: "delete", room: "arena", force: false },
  { kind: "delete", room: "arena", force: true },
  ...inArena("join", "add", "leave"),
  { kind: "delete", room: "arena", force: false },
  ...inArena("join", "leave")
]

/** Each durable call holds, also the fifth, and also after one death and after a wake. */
export const killStory: ReadonlyArray<RoomCommand> = [
  ...inArena("join", "add", "add", "add", "add", "add"),
  { kind: "kill", room: "arena" },
  ...inArena("add", "save", "leave", "join", "add"),
  { kind: "kill", room: "arena" },
  { kind: "kill", room: "arena" }
]
