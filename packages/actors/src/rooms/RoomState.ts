import type { CapWall } from "@atrium/domain/meters/Caps"
import type { RoomClass } from "@atrium/wire/rooms/RoomClass"
import { Data } from "effect"

/** The type that a room is started as: one of the project's current deployment. */
export interface RoomKind {
  readonly type: string
  readonly class: RoomClass
  readonly version: number
}

/** One start of a room on a server. The epoch grows at every start: an older one can no longer write. */
export interface Seat {
  readonly epoch: number
  readonly serverIndex: number
}

/** Where an awake room runs, and as what. */
export interface Incarnation extends RoomKind, Seat {}

/** Moments of the restarts that still count, Unix milliseconds, oldest first. At most Limits.restarts. */
type Restarts = ReadonlyArray<number>

/** Why all rooms of a project are put away, even with clients in them. */
export const StopReasons = ["restore", "dataOut"] as const
export type StopReason = (typeof StopReasons)[number]

/**
 * Why an awake room is put away. It decides what its clients are told; who comes into a room that
 * sleeps because it is `empty`, or for want of memory (`pressure`), keeps it awake. A new room that
 * let nobody in (`unentered`) is removed, and nothing of it is stored. Source: C-224.
 */
export const DrainReasons = [
  ...(["empty", "unentered", "pressure", "redeploy", "shutdown"] as const),
  ...StopReasons
] as const
export type DrainReason = (typeof DrainReasons)[number]

/** The same, and `move`: its clients follow the room to its next runner. Source: C-416. */
export const LeaveReasons = [...DrainReasons, "move"] as const
export type LeaveReason = (typeof LeaveReasons)[number]

/** The reason that clients of a closed room get; it tells them to stay away or to come back. */
export type CloseReason = "crashed" | "restarting" | "deleted"

/** Which save generation a room is to be restored from. */
export interface SaveRef {
  readonly version: number
  readonly saveId: string
}

/** What PATCH may change of a room; a key that is not there stays as it is. Spec: Rooms rules 4, 5. */
export interface RoomSettings {
  /** A duration, `forever`, or `null`: what the type declares. */
  readonly retention?: string | null
  readonly public?: boolean
}

/**
 * The life cycle of one room. Only what must survive a crash is here: clients, saves and timers
 * belong to the incarnation. Source: D-14.
 */
export type RoomState = Data.TaggedEnum<{
  /** Neither row nor stored state: only a join that names a type makes it a room. */
  Absent: {}
  Hibernated: { readonly type: string }
  /** Waits for an epoch and the index of a server. Holds no place anywhere yet. */
  Placing: { readonly kind: RoomKind; readonly stored: boolean; readonly quarantined?: number }
  Starting: { readonly at: Incarnation; readonly stored: boolean; readonly quarantined?: number }
  Awake: { readonly at: Incarnation; readonly slot: number; readonly restarts: Restarts }
  Draining: {
    readonly at: Incarnation
    readonly slot: number
    readonly restarts: Restarts
    readonly reason: DrainReason
  }
  /** The process died; under a new epoch another starts on the same server, the sockets wait. */
  Restarting: { readonly at: Incarnation; readonly slot: number; readonly restarts: Restarts }
  /**
   * Closed after failing; its stored state is kept and the next join tries again. `quarantined`: the version
   * to which its state could not be led, so that the room stays as it is until it can.
   */
  Closed: { readonly type: string; readonly quarantined?: number }
  /** A forced delete waits for the server: nothing is removed until every client is out. */
  Evicting: { readonly at: Incarnation; readonly slot: number; readonly restarts: Restarts }
  /**
   * The stored state is being removed. `epoch` is newer than that of every incarnation, so that none
   * of them adds to it any more; `null` = it is still to be claimed.
   */
  Deleting: { readonly type: string; readonly epoch: number | null }
  /** A restore is queued; `at` = the incarnation that still runs. Its current state is given up. */
  Restoring: { readonly type: string; readonly save: SaveRef; readonly at: Incarnation | null }
  /** The room is down, and the save takes the place of its state. */
  Replacing: { readonly type: string; readonly save: SaveRef; readonly epoch: number | null }
}>
export const RoomState = Data.taggedEnum<RoomState>()

export type RoomEvent = Data.TaggedEnum<{
  /**
   * A client wants in, or an alarm is due. `type` is what the caller named, `kind` what the current
   * deployment makes of `typeToStart`, `wall` the cap that keeps the room from starting.
   */
  WakeAsked: {
    readonly type: string | null
    readonly kind: RoomKind | null
    readonly wall: CapWall | null
    readonly create: boolean
    /** Why no state of the room lets the caller in; absent = the caller may come in. */
    readonly bar?: string
  }
  EpochClaimed: { readonly epoch: number }
  /** The room has an epoch, and the index of the server that is to start it. */
  Placed: Seat
  Started: { readonly epoch: number; readonly slot: number }
  /** `next` = the server to ask now; `null` = every server is full. */
  ServerFull: { readonly epoch: number; readonly next: number | null }
  /** It takes no new room now, and no other server is to be asked. */
  ServerWaking: { readonly epoch: number; readonly message: string }
  ServerRefused: { readonly epoch: number }
  /** `quarantined`: the version to which the state of the room could not be led. */
  StartFailed: {
    readonly epoch: number
    readonly nowMs: number
    readonly message: string
    readonly quarantined?: number
  }
  /** `shared`: rooms shared the process, and nobody knows whose doing its end was. */
  ProcessExited: Seat & { readonly nowMs: number; readonly shared?: true }
  DrainAsked: Seat & { readonly reason: LeaveReason }
  /** The project's servers stop for the restore of another room, or the room is to move. */
  StopAsked: { readonly reason: StopReason | "move" }
  /** The project has a new version: an incarnation that runs an older one makes way for it. */
  VersionDeployed: { readonly version: number }
  /** `entered`: the room has let somebody in, now or before. One that never did is none. */
  Drained: { readonly epoch: number; readonly clientsBack: boolean; readonly entered: boolean }
  /** `relay`: the project's rooms run no code, and end with their last client only. */
  DeleteAsked: { readonly force: boolean; readonly relay: boolean }
  Evicted: { readonly epoch: number }
  EvictionFailed: { readonly epoch: number; readonly server: string }
  StateRemoved: { readonly objects: number }
  /** The sweep looks at the room; `deletesAtMs` is exact, `null` = it is kept for ever. */
  SweepAsked: { readonly nowMs: number; readonly deletesAtMs: number | null }
  /**
   * `started`: the row says that the game has; an awake room itself knows better. `inert`: the room is for trying, and is
   * never public.
   */
  SetAsked: {
    readonly settings: RoomSettings
    readonly started: boolean
    readonly inert: boolean
  }
  /** The awake room has published its settings. */
  Published: { readonly settings: RoomSettings; readonly started: boolean }
  SettingsSaved: {}
  /** `save` = `null`: the room has no such generation. */
  RestoreAsked: { readonly save: SaveRef | null }
  /** The project's other rooms are asleep: the restore may take effect. */
  RestoreDue: {}
  /** `found` = false: the generation was gone, and the state is what it was. */
  SavePlaced: { readonly found: boolean }
  /** The actor was loaded from its row; `held` tells whether the room's server still has it. */
  Revived: { readonly held: boolean }
}>
export const RoomEvent = Data.taggedEnum<RoomEvent>()

export type RoomRefusal =
  | "E_ROOM_NOT_FOUND"
  | "E_TENANT_WAKING"
  | "E_ROOM_CRASHED"
  | "E_CAP_REACHED"
  | "E_ROOM_IN_USE"
  | "E_ROOM_STARTED"
  | "E_EVICT_FAILED"
  | "E_SAVE_NOT_FOUND"
  | "E_BRANCH"

export type RoomAction = Data.TaggedEnum<{
  /** Answers with `EpochClaimed`. */
  ClaimEpoch: {}
  /** Answers with `Placed`: an epoch, and a server that has room for the class. */
  ClaimPlace: { readonly class: RoomClass }
  /**
   * Answers with `Started`, `ServerFull`, `ServerWaking`, `ServerRefused` or `StartFailed`. `fresh`: it
   * was no room before, and is one only once it lets somebody in.
   */
  StartRoom: { readonly at: Incarnation; readonly fresh: boolean }
  /** The same server, the same slot, the clients still attached. Answers as `StartRoom` does. */
  RestartRoom: { readonly at: Incarnation }
  /** Stores the last state, tells the clients, ends the process. Answers with `Drained`. */
  DrainRoom: { readonly at: Incarnation; readonly reason: LeaveReason }
  /** Closes the clients and frees the slot; the process is dead already, or its state is not wanted. */
  CloseRoom: { readonly at: Seat; readonly because: Exclude<CloseReason, "deleted"> }
  /** Closes the clients for good and ends the process. Answers with `Evicted` or `EvictionFailed`. */
  EvictRoom: { readonly at: Incarnation }
  /** Removes snapshots, generations and alarms. Answers with `StateRemoved`. */
  RemoveState: {}
  /** Asks the awake room whether its game has started, and tells it the rest. Answers with `Published`. */
  PublishRoom: { readonly at: Incarnation; readonly settings: RoomSettings }
  /** Answers with `SettingsSaved`. */
  SaveSettings: { readonly settings: RoomSettings }
  /** Makes the generation the room's newest state, in one piece. Answers with `SavePlaced`. */
  PlaceSave: { readonly save: SaveRef; readonly epoch: number }
  /** The server may have lost the room: it is asked before the next event. */
  Doubt: {}
  Answer: { readonly at: Incarnation }
  AnswerDeleted: { readonly objects: number }
  AnswerDone: {}
  Refuse: { readonly code: RoomRefusal; readonly message: string }
}>
export const RoomAction = Data.taggedEnum<RoomAction>()

/** The result of a step. A refusal never moves the state. */
export type Step = readonly [RoomState, ReadonlyArray<RoomAction>]

export const stay = (state: RoomState, ...actions: ReadonlyArray<RoomAction>): Step => [
  state,
  actions
]

export const refuse = (code: RoomRefusal, message: string): RoomAction =>
  RoomAction.Refuse({ code, message })

/** The one wording for a room that is not there. Spec: Rooms rule 3. */
export const notThere = refuse("E_ROOM_NOT_FOUND", "no such room")

export const onItsWay = refuse("E_TENANT_WAKING", "the room is on its way")

/** The type that the room has; `null` = it is no room. */
export const typeOf = (state: RoomState): string | null => {
  switch (state._tag) {
    case "Absent":
      return null
    case "Hibernated":
    case "Closed":
    case "Deleting":
    case "Restoring":
    case "Replacing":
      return state.type
    case "Placing":
      return state.kind.type
    case "Starting":
    case "Awake":
    case "Draining":
    case "Restarting":
    case "Evicting":
      return state.at.type
  }
}

/** The mark of a room in quarantine, for the state that follows; it goes when the room has started. */
export const quarantineOf = (from: { readonly quarantined?: number }) =>
  from.quarantined === undefined ? {} : { quarantined: from.quarantined }

/** The state of a room after a start that failed for a reason outside of the room. */
export const asBefore = (type: string, from: { readonly quarantined?: number }): RoomState =>
  from.quarantined === undefined
    ? RoomState.Hibernated({ type })
    : RoomState.Closed({ type, quarantined: from.quarantined })

/** The incarnation that has a place on a server; `null` = none has. */
export const placeOf = (state: RoomState): Incarnation | null => ("at" in state ? state.at : null)

/** Whether the room's server had a part in an event: then the room was seen. Spec: lastSeen. */
export const isReport = ({ _tag }: RoomEvent): boolean =>
  _tag === "Started" || _tag === "Drained" || _tag === "ProcessExited" || _tag === "StartFailed"

/**
 * Whether the state is written to the row. A room that waits for its epoch holds no place on a server: if
 * its actor is lost, the room has its state of before.
 */
export const isKept = (state: RoomState): boolean => state._tag !== "Placing"
