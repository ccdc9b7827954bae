import { Limits } from "@atrium/domain/Limits"
import type { RoomClass } from "@atrium/domain/RoomClass"
import { Data } from "effect"

/** What a room is started as: a type of the project's current deployment. */
export interface RoomKind {
  readonly type: string
  readonly class: RoomClass
  readonly version: number
}

/** Where an awake room runs. The epoch grows at every start: an older one can no longer write. */
export interface Incarnation extends RoomKind {
  readonly epoch: number
  readonly serverIndex: number
}

/** Moments of the restarts that still count, Unix milliseconds, oldest first. At most Limits.restarts. */
type Restarts = ReadonlyArray<number>

/** Why an awake room is put away. It decides what its clients are told. */
export type DrainReason = "empty" | "redeploy" | "shutdown"

/** What the clients of a closed room are told: to stay away, or to come back. */
export type CloseReason = "crashed" | "restarting"

/**
 * The life cycle of one room. Only what must survive a crash is here: clients, saves and timers
 * belong to the incarnation. Source: D-14.
 */
export type RoomState = Data.TaggedEnum<{
  /** Neither row nor stored state: only a join that names a type makes it a room. */
  Absent: {}
  Hibernated: { readonly type: string }
  /** Waits for an epoch, then for a server. Holds no place anywhere yet. */
  Placing: { readonly kind: RoomKind; readonly serverIndex: number; readonly stored: boolean }
  Starting: { readonly at: Incarnation; readonly stored: boolean }
  Awake: { readonly at: Incarnation; readonly slot: number; readonly restarts: Restarts }
  Draining: {
    readonly at: Incarnation
    readonly slot: number
    readonly restarts: Restarts
    readonly reason: DrainReason
  }
  /** The process died; under a new epoch another starts on the same server, the sockets wait. */
  Restarting: { readonly at: Incarnation; readonly slot: number; readonly restarts: Restarts }
  /** Closed after failing; its stored state is kept and the next join tries again. */
  Closed: { readonly type: string }
}>
export const RoomState = Data.taggedEnum<RoomState>()

export type RoomEvent = Data.TaggedEnum<{
  /**
   * A client wants in, or an alarm is due. `type` is what the caller named, `kind` what the current
   * deployment makes of `typeToStart`.
   */
  WakeAsked: {
    readonly type: string | null
    readonly kind: RoomKind | null
    readonly create: boolean
  }
  EpochClaimed: { readonly epoch: number }
  Started: { readonly epoch: number; readonly slot: number }
  ServerFull: { readonly epoch: number }
  ServerRefused: { readonly epoch: number }
  StartFailed: { readonly epoch: number; readonly nowMs: number; readonly message: string }
  ProcessExited: { readonly epoch: number; readonly nowMs: number }
  DrainAsked: { readonly epoch: number; readonly reason: DrainReason }
  /** The project has a new version: whichever incarnation runs an older one makes way for it. */
  VersionDeployed: { readonly version: number }
  Drained: { readonly epoch: number; readonly clientsBack: boolean }
  /** The actor was loaded from its row; `held` tells whether the room's server still has it. */
  Revived: { readonly held: boolean }
}>
export const RoomEvent = Data.taggedEnum<RoomEvent>()

export type RoomRefusal = "E_ROOM_NOT_FOUND" | "E_TENANT_WAKING" | "E_ROOM_CRASHED"

export type RoomAction = Data.TaggedEnum<{
  /** Answers with `EpochClaimed`. */
  ClaimEpoch: {}
  /** Answers with `Started`, `ServerFull`, `ServerRefused` or `StartFailed`. */
  StartRoom: { readonly at: Incarnation }
  /** The same server, the same slot, the clients still attached. Answers as `StartRoom` does. */
  RestartRoom: { readonly at: Incarnation }
  /** Stores the last state, tells the clients, ends the process. Answers with `Drained`. */
  DrainRoom: { readonly at: Incarnation; readonly reason: DrainReason }
  /** Closes the clients and frees the slot; the process is dead already. */
  CloseRoom: { readonly at: Incarnation; readonly because: CloseReason }
  Answer: { readonly at: Incarnation }
  Refuse: { readonly code: RoomRefusal; readonly message: string }
}>
export const RoomAction = Data.taggedEnum<RoomAction>()

type Step = readonly [RoomState, ReadonlyArray<RoomAction>]

/** Total: every event has an answer in every state. A refusal never moves the state. */
export const step = (state: RoomState, event: RoomEvent): Step => {
  switch (event._tag) {
    case "WakeAsked":
      return wake(state, event)
    case "EpochClaimed":
      return place(state, event.epoch)
    case "Started":
      return started(state, event)
    case "ServerFull":
      return tryNextServer(state, event.epoch)
    case "ServerRefused":
      return giveUp(state, event.epoch, "the server takes no rooms now")
    case "StartFailed":
      return startFailed(state, event)
    case "ProcessExited":
      return processExited(state, event)
    case "DrainAsked":
      return drain(state, event)
    case "VersionDeployed":
      return moved(state, event.version)
    case "Drained":
      return drained(state, event)
    case "Revived":
      return event.held ? resumed(state) : [asleep(state), []]
  }
}

const stay = (state: RoomState, ...actions: ReadonlyArray<RoomAction>): Step => [state, actions]

/**
 * The type that a wake starts: the room's own, or the one that is asked for when it has none.
 * `null` = there is nothing to start, as the room is up or on its way.
 */
export const typeToStart = (state: RoomState, asked: string | null): string | null => {
  switch (state._tag) {
    case "Absent":
      return asked
    case "Hibernated":
    case "Closed":
      return state.type
    case "Placing":
    case "Starting":
    case "Awake":
    case "Draining":
    case "Restarting":
      return null
  }
}

const typeOf = (state: RoomState): string | null => {
  switch (state._tag) {
    case "Absent":
      return null
    case "Hibernated":
    case "Closed":
      return state.type
    case "Placing":
      return state.kind.type
    case "Starting":
    case "Awake":
    case "Draining":
    case "Restarting":
      return state.at.type
  }
}

const wake = (state: RoomState, event: Data.TaggedEnum.Value<RoomEvent, "WakeAsked">): Step => {
  const type = typeOf(state)
  if (type !== null && event.type !== null && type !== event.type) return stay(state, otherType)
  switch (state._tag) {
    case "Awake":
    case "Restarting":
      return stay(state, RoomAction.Answer({ at: state.at }))
    case "Absent":
      if (!event.create) return stay(state, noSuchRoom)
      return event.kind === null ? stay(state, noSuchType) : claim(event.kind, false)
    case "Hibernated":
    case "Closed":
      return event.kind === null ? stay(state, noSuchType) : claim(event.kind, true)
    case "Placing":
    case "Starting":
    case "Draining":
      // One step at a time: the actor's mailbox holds wakes back until these states are left.
      return stay(state, refuse("E_TENANT_WAKING", "the room is on its way"))
  }
}

const refuse = (code: RoomRefusal, message: string): RoomAction =>
  RoomAction.Refuse({ code, message })
const noSuchRoom = refuse("E_ROOM_NOT_FOUND", "no such room, and no type to create it from")
const otherType = refuse("E_ROOM_NOT_FOUND", "the room is of another type")
const noSuchType = refuse("E_ROOM_NOT_FOUND", "the deployed code has no such room type")

const claim = (kind: RoomKind, stored: boolean): Step => [
  RoomState.Placing({ kind, serverIndex: 0, stored }),
  [RoomAction.ClaimEpoch()]
]

const place = (state: RoomState, epoch: number): Step => {
  if (state._tag === "Restarting") {
    if (epoch <= state.at.epoch) return stay(state)
    const at: Incarnation = { ...state.at, epoch }
    const next = RoomState.Restarting({ at, slot: state.slot, restarts: state.restarts })
    return [next, [RoomAction.RestartRoom({ at })]]
  }
  if (state._tag !== "Placing") return stay(state)
  const at: Incarnation = { ...state.kind, epoch, serverIndex: state.serverIndex }
  return [RoomState.Starting({ at, stored: state.stored }), [RoomAction.StartRoom({ at })]]
}

const started = (
  state: RoomState,
  event: { readonly epoch: number; readonly slot: number }
): Step => {
  if (state._tag === "Starting" && state.at.epoch === event.epoch) {
    const next = RoomState.Awake({ at: state.at, slot: event.slot, restarts: [] })
    return [next, [RoomAction.Answer({ at: state.at })]]
  }
  if (state._tag === "Restarting" && state.at.epoch === event.epoch) {
    return [RoomState.Awake({ at: state.at, slot: event.slot, restarts: state.restarts }), []]
  }
  return stay(state)
}

const tryNextServer = (state: RoomState, epoch: number): Step => {
  // Its sockets are on that server: a restart that lost its place there cannot move on.
  if (state._tag === "Restarting") return giveUp(state, epoch, "the server is full")
  if (state._tag !== "Starting" || state.at.epoch !== epoch) return stay(state)
  const serverIndex = state.at.serverIndex + 1
  if (serverIndex >= Limits.serversPerProject.max)
    return giveUp(state, epoch, "every server is full")
  const at = { ...state.at, serverIndex }
  return [RoomState.Starting({ at, stored: state.stored }), [RoomAction.StartRoom({ at })]]
}

const giveUp = (state: RoomState, epoch: number, message: string): Step => {
  const refusal = refuse("E_TENANT_WAKING", message)
  if (state._tag === "Restarting" && state.at.epoch === epoch) {
    const close = RoomAction.CloseRoom({ at: state.at, because: "restarting" })
    return [RoomState.Hibernated({ type: state.at.type }), [close]]
  }
  if (state._tag !== "Starting" || state.at.epoch !== epoch) return stay(state)
  const { at } = state
  const next = state.stored ? RoomState.Hibernated({ type: at.type }) : RoomState.Absent()
  // Whether or not the server took the room after all: it is not wanted there any more.
  return [next, [RoomAction.CloseRoom({ at, because: "restarting" }), refusal]]
}

const startFailed = (
  state: RoomState,
  event: { readonly epoch: number; readonly nowMs: number; readonly message: string }
): Step => {
  if (state._tag === "Restarting") return processExited(state, event)
  if (state._tag !== "Starting" || state.at.epoch !== event.epoch) return stay(state)
  const closed = RoomState.Closed({ type: state.at.type })
  const crashed = refuse("E_ROOM_CRASHED", event.message)
  return [state.stored ? closed : RoomState.Absent(), [crashed]]
}

/** Every death counts. The third within a sliding minute closes the room. Source: D-22, T-39. */
const processExited = (
  state: RoomState,
  event: { readonly epoch: number; readonly nowMs: number }
): Step => {
  if (state._tag === "Draining" && state.at.epoch === event.epoch) return stay(state)
  if (state._tag !== "Awake" && state._tag !== "Restarting") return stay(state)
  if (state.at.epoch !== event.epoch) return stay(state)
  const since = event.nowMs - Limits.restartsWindow.ms
  const restarts = [...state.restarts.filter((atMs) => atMs > since), event.nowMs]
  if (restarts.length >= Limits.restarts.max) {
    const close = RoomAction.CloseRoom({ at: state.at, because: "crashed" })
    return [RoomState.Closed({ type: state.at.type }), [close]]
  }
  const next = RoomState.Restarting({ at: state.at, slot: state.slot, restarts })
  return [next, [RoomAction.ClaimEpoch()]]
}

const drain = (
  state: RoomState,
  event: { readonly epoch: number; readonly reason: DrainReason }
): Step => {
  if (state._tag !== "Awake" || state.at.epoch !== event.epoch) return stay(state)
  const { at, slot, restarts } = state
  const { reason } = event
  const next = RoomState.Draining({ at, slot, restarts, reason })
  return [next, [RoomAction.DrainRoom({ at, reason })]]
}

const moved = (state: RoomState, version: number): Step =>
  state._tag === "Awake" && state.at.version < version
    ? drain(state, { epoch: state.at.epoch, reason: "redeploy" })
    : stay(state)

const drained = (
  state: RoomState,
  event: { readonly epoch: number; readonly clientsBack: boolean }
): Step => {
  if (state._tag !== "Draining" || state.at.epoch !== event.epoch) return stay(state)
  const { at, slot, restarts } = state
  // A client came in while the room was being put away for emptiness: it stays up.
  if (event.clientsBack) return [RoomState.Awake({ at, slot, restarts }), []]
  return [RoomState.Hibernated({ type: at.type }), []]
}

/**
 * What an actor makes of a room that its server still holds. Whoever waited for the answer that was
 * under way is gone: a drain is asked for again, a start is undone, so that no place stays taken.
 */
const resumed = (state: RoomState): Step => {
  switch (state._tag) {
    case "Absent":
    case "Hibernated":
    case "Closed":
    case "Awake":
      return stay(state)
    case "Placing":
      return [asleep(state), []]
    case "Starting":
    case "Restarting":
      return [asleep(state), [RoomAction.CloseRoom({ at: state.at, because: "restarting" })]]
    case "Draining":
      return stay(state, RoomAction.DrainRoom({ at: state.at, reason: state.reason }))
  }
}

/**
 * Whether the row holds the state. A room that waits for its epoch holds no place anywhere: if its
 * actor is lost, it is what it was before.
 */
export const isKept = (state: RoomState): boolean => state._tag !== "Placing"

/** What is left of a room whose process is gone. */
const asleep = (state: RoomState): RoomState => {
  switch (state._tag) {
    case "Absent":
    case "Hibernated":
    case "Closed":
      return state
    case "Placing":
      return state.stored ? RoomState.Hibernated({ type: state.kind.type }) : RoomState.Absent()
    case "Starting":
      return state.stored ? RoomState.Hibernated({ type: state.at.type }) : RoomState.Absent()
    case "Awake":
    case "Draining":
    case "Restarting":
      return RoomState.Hibernated({ type: state.at.type })
  }
}
