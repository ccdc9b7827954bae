import { wallText } from "@atrium/domain/meters/Caps"
import { ClosingLimits } from "@atrium/wire/frames/ClosingLimits"
import type { Data } from "effect"

import {
  diedRestoring,
  restoreAsked,
  restoreClaimed,
  restoreDue,
  savePlaced
} from "../saves/RoomRestore.ts"
import {
  awakeAgain,
  deleteAsked,
  evicted,
  evictionFailed,
  removalClaimed,
  remove,
  stateRemoved,
  swept
} from "./RoomRemoval.ts"
import { published, setAsked } from "./RoomSetting.ts"
import {
  type Incarnation,
  type LeaveReason,
  onItsWay,
  asBefore,
  placeOf,
  quarantineOf,
  refuse,
  RoomAction,
  type RoomEvent,
  RoomState,
  type Seat,
  stay,
  type Step,
  typeOf
} from "./RoomState.ts"

/** Total: every event has an answer in every state. A refusal never moves the state. */
export const step = (state: RoomState, event: RoomEvent): Step => {
  switch (event._tag) {
    case "WakeAsked":
      return wake(state, event)
    case "EpochClaimed":
      return claimed(state, event.epoch)
    case "Placed":
      return placed(state, event)
    case "Started":
      return started(state, event)
    case "ServerFull":
      return tryNextServer(state, event)
    case "ServerWaking":
      return giveUp(state, event.epoch, event.message)
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
    case "StopAsked":
      return state._tag === "Awake" ? putAway(state, event.reason) : stay(state)
    case "Drained":
      return drained(state, event)
    case "DeleteAsked":
      return deleteAsked(state, event)
    case "Evicted":
      return evicted(state, event.epoch)
    case "EvictionFailed":
      return evictionFailed(state, event)
    case "StateRemoved":
      return stateRemoved(state, event.objects)
    case "SweepAsked":
      return swept(state, event)
    case "SetAsked":
      return setAsked(state, event)
    case "Published":
      return published(state, event)
    case "SettingsSaved":
      return stay(state, RoomAction.AnswerDone())
    case "RestoreAsked":
      return restoreAsked(state, event.save)
    case "RestoreDue":
      return restoreDue(state)
    case "SavePlaced":
      return savePlaced(state)
    case "Revived":
      return revived(state, event.held)
  }
}

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
    case "Evicting":
    case "Deleting":
    case "Restoring":
    case "Replacing":
      return null
  }
}

const wake = (state: RoomState, event: Data.TaggedEnum.Value<RoomEvent, "WakeAsked">): Step => {
  const type = typeOf(state)
  if (event.bar !== undefined) return stay(state, refuse("E_BRANCH", event.bar))
  if (type !== null && event.type !== null && type !== event.type) return stay(state, otherType)
  switch (state._tag) {
    case "Awake":
    case "Restarting":
      return stay(state, RoomAction.Answer({ at: state.at }))
    case "Absent":
      if (!event.create) return stay(state, noSuchRoom)
      return claim(state, event, { stored: false })
    case "Hibernated":
      return claim(state, event, { stored: true })
    case "Closed":
      return claim(state, event, { stored: true, ...quarantineOf(state) })
    case "Placing":
    case "Starting":
    case "Draining":
    case "Evicting":
    case "Deleting":
    case "Restoring":
    case "Replacing":
      // One step at a time: the actor's mailbox holds wakes back until these states are left.
      return stay(state, onItsWay)
  }
}

const noSuchRoom = refuse("E_ROOM_NOT_FOUND", "no such room, and no type to create it from")
const otherType = refuse("E_ROOM_NOT_FOUND", "the room is of another type")
const noSuchType = refuse("E_ROOM_NOT_FOUND", "the deployed code has no such room type")

const claim = (
  state: RoomState,
  { kind, wall }: Data.TaggedEnum.Value<RoomEvent, "WakeAsked">,
  before: { readonly stored: boolean; readonly quarantined?: number }
): Step => {
  if (kind === null) return stay(state, noSuchType)
  if (wall !== null) {
    return stay(state, refuse("E_CAP_REACHED", wallText(wall)))
  }
  return [RoomState.Placing({ kind, ...before }), [RoomAction.ClaimPlace({ class: kind.class })]]
}

const claimed = (state: RoomState, epoch: number): Step => {
  if (state._tag === "Deleting" || state._tag === "Replacing") {
    if (state.epoch !== null && epoch <= state.epoch) return stay(state)
    return state._tag === "Deleting" ? removalClaimed(state, epoch) : restoreClaimed(state, epoch)
  }
  if (state._tag === "Restarting") {
    if (epoch <= state.at.epoch) return stay(state)
    const at: Incarnation = { ...state.at, epoch }
    const next = RoomState.Restarting({ at, slot: state.slot, restarts: state.restarts })
    return [next, [RoomAction.RestartRoom({ at })]]
  }
  return stay(state)
}

const placed = (state: RoomState, { epoch, serverIndex }: Seat): Step => {
  if (state._tag === "Placing") return startAt(state, { ...state.kind, epoch, serverIndex })
  if (state._tag !== "Starting" && state._tag !== "Restarting") return stay(state)
  if (state.at.epoch >= epoch) return stay(state)
  // Its server may start it all the same, and two processes of one epoch could both write.
  if (state._tag === "Starting") return startAt(state, { ...state.at, epoch, serverIndex })
  return giveUp(state, state.at.epoch, "the server takes no rooms now")
}

const startAt = (
  from: { readonly stored: boolean; readonly quarantined?: number },
  at: Incarnation
): Step => [
  RoomState.Starting({ at, stored: from.stored, ...quarantineOf(from) }),
  [RoomAction.StartRoom({ at, fresh: !from.stored })]
]

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

const tryNextServer = (
  state: RoomState,
  { epoch, next }: Data.TaggedEnum.Value<RoomEvent, "ServerFull">
): Step => {
  // Its sockets are on that server: a restart that lost its place there cannot move on.
  if (state._tag === "Restarting") return giveUp(state, epoch, "the server is full")
  if (state._tag !== "Starting" || state.at.epoch !== epoch) return stay(state)
  if (next === null) return giveUp(state, epoch, "every server is full")
  return startAt(state, { ...state.at, serverIndex: next })
}

const giveUp = (state: RoomState, epoch: number, message: string): Step => {
  const refusal = refuse("E_TENANT_WAKING", message)
  if (state._tag === "Restarting" && state.at.epoch === epoch) {
    const close = RoomAction.CloseRoom({ at: state.at, because: "restarting" })
    return [RoomState.Hibernated({ type: state.at.type }), [close]]
  }
  if (state._tag !== "Starting" || state.at.epoch !== epoch) return stay(state)
  const { at } = state
  // The server may have taken the room after all; the room no longer wants its place there.
  const close = RoomAction.CloseRoom({ at, because: "restarting" })
  if (state.stored) return [asBefore(at.type, state), [close, refusal]]
  // Unheard it may have stored its first state meanwhile.
  return [RoomState.Absent(), [close, RoomAction.Doubt(), refusal]]
}

type StartFailure = Data.TaggedEnum.Value<RoomEvent, "StartFailed">

const startFailed = (state: RoomState, event: StartFailure): Step => {
  if (state._tag === "Restarting") return restartFailed(state, event)
  if (state._tag !== "Starting" || state.at.epoch !== event.epoch) return stay(state)
  const { at } = state
  const mark = { ...quarantineOf(state), ...quarantineOf(event) }
  const next = state.stored ? RoomState.Closed({ type: at.type, ...mark }) : RoomState.Absent()
  // A server that never heard of the end before keeps the room and its clients, as at a restart.
  const close = RoomAction.CloseRoom({ at, because: "crashed" })
  return [next, [close, refuse("E_ROOM_CRASHED", event.message)]]
}

/** A restart that leads the state on for the first time, as the process before it had stored nothing, may fail at that. */
const restartFailed = (
  state: Extract<RoomState, { readonly _tag: "Restarting" }>,
  event: StartFailure
): Step => {
  if (event.quarantined === undefined) return died(state, event)
  if (state.at.epoch !== event.epoch) return stay(state)
  const close = RoomAction.CloseRoom({ at: state.at, because: "crashed" })
  return [RoomState.Closed({ type: state.at.type, ...quarantineOf(event) }), [close]]
}

/**
 * Whether a report is of an incarnation that the room has given up. Its server does not know that yet,
 * and keeps the place until it is told.
 */
const isStray = (state: RoomState, { epoch }: Seat): boolean => placeOf(state)?.epoch !== epoch

const closeStray = (state: RoomState, { epoch, serverIndex }: Seat): Step =>
  stay(state, RoomAction.CloseRoom({ at: { epoch, serverIndex }, because: "restarting" }))

const processExited = (
  state: RoomState,
  event: Data.TaggedEnum.Value<RoomEvent, "ProcessExited">
): Step => {
  if (isStray(state, event)) return closeStray(state, event)
  return state._tag === "Restoring" ? diedRestoring(state, event) : died(state, event)
}

/**
 * Every death counts but that of a process that rooms shared. The third within a sliding minute closes the room.
 * Source: D-22, T-39, C-974.
 */
const died = (
  state: RoomState,
  event: { readonly epoch: number; readonly nowMs: number; readonly shared?: true }
): Step => {
  if (state._tag !== "Awake" && state._tag !== "Restarting") return stay(state)
  if (state.at.epoch !== event.epoch) return stay(state)
  const since = event.nowMs - ClosingLimits.restartsWindow.ms
  const before = state.restarts.filter((atMs) => atMs > since)
  const restarts = event.shared === true ? before : [...before, event.nowMs]
  if (restarts.length >= ClosingLimits.restarts.max) {
    const close = RoomAction.CloseRoom({ at: state.at, because: "crashed" })
    return [RoomState.Closed({ type: state.at.type }), [close]]
  }
  const next = RoomState.Restarting({ at: state.at, slot: state.slot, restarts })
  return [next, [RoomAction.ClaimEpoch()]]
}

const drain = (state: RoomState, event: Data.TaggedEnum.Value<RoomEvent, "DrainAsked">): Step => {
  if (isStray(state, event)) return closeStray(state, event)
  return state._tag === "Awake" ? putAway(state, event.reason) : stay(state)
}

const putAway = (
  { at, slot, restarts }: Extract<RoomState, { readonly _tag: "Awake" }>,
  reason: LeaveReason
): Step => [
  // A runner that revives the room has no clients to hand over, and may be an older program.
  RoomState.Draining({ at, slot, restarts, reason: reason === "move" ? "shutdown" : reason }),
  [RoomAction.DrainRoom({ at, reason })]
]

const moved = (state: RoomState, version: number): Step =>
  state._tag === "Awake" && state.at.version < version ? putAway(state, "redeploy") : stay(state)

const drained = (state: RoomState, event: Data.TaggedEnum.Value<RoomEvent, "Drained">): Step => {
  if (state._tag !== "Draining" || state.at.epoch !== event.epoch) return stay(state)
  const { at, slot, restarts } = state
  // A client came in while the room was being put away for emptiness: it stays up.
  if (event.clientsBack) return [RoomState.Awake({ at, slot, restarts }), []]
  if (!event.entered) return remove(at.type)
  return [RoomState.Hibernated({ type: at.type }), []]
}

/** A room that is being removed or replaced stays so, whatever became of its server. */
const revived = (state: RoomState, held: boolean): Step => {
  if (state._tag === "Restoring") return stay(state)
  if (state._tag === "Deleting" || state._tag === "Replacing")
    return stay(state, RoomAction.ClaimEpoch())
  if (!held && state._tag === "Draining" && state.reason === "unentered")
    return remove(state.at.type)
  return held ? resumed(state) : [asleep(state), []]
}
/**
 * The state that an actor gives a room that its server still holds. The caller that waited for the answer
 * is gone: the actor asks for a drain again, and undoes a start, so that no place stays taken.
 */
const resumed = (state: RoomState): Step => {
  switch (state._tag) {
    case "Absent":
    case "Hibernated":
    case "Closed":
    case "Awake":
    case "Deleting":
    case "Restoring":
    case "Replacing":
      return stay(state)
    case "Evicting":
      return [awakeAgain(state), []]
    case "Placing":
      return [asleep(state), []]
    case "Starting":
    case "Restarting": {
      // It runs there, and may have stored its first state.
      const next = RoomState.Hibernated({ type: state.at.type })
      return [next, [RoomAction.CloseRoom({ at: state.at, because: "restarting" })]]
    }
    case "Draining":
      return stay(state, RoomAction.DrainRoom({ at: state.at, reason: state.reason }))
  }
}

/** The state of a room whose process is gone. */
const asleep = (state: RoomState): RoomState => {
  switch (state._tag) {
    case "Absent":
    case "Hibernated":
    case "Closed":
    case "Deleting":
    case "Restoring":
    case "Replacing":
      return state
    case "Placing":
      return state.stored ? asBefore(state.kind.type, state) : RoomState.Absent()
    case "Starting":
      return state.stored ? asBefore(state.at.type, state) : RoomState.Absent()
    case "Awake":
    case "Draining":
    case "Restarting":
    case "Evicting":
      return RoomState.Hibernated({ type: state.at.type })
  }
}
