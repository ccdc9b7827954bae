import type { LifeNote } from "@atrium/domain/life/LifeEvent"

import type { RoomAction, RoomEvent, RoomState } from "../rooms/RoomState.ts"

/** One step of a room's machine. */
export interface RoomStep {
  readonly before: RoomState
  readonly event: RoomEvent
  readonly after: RoomState
  /** The room leaves its runner for another one: the state says nothing of that. */
  readonly moves: boolean
}

/** A server as developers know it, by its index. */
type ServerId = (serverIndex: number) => string

/**
 * The event of the room's life that a step tells; `null` = it tells none. A crash is told where its cause is
 * known, and what happens to a room that is no room afterwards is told nowhere.
 */
export const lifeOfStep = (
  { before, event, after, moves }: RoomStep,
  serverId: ServerId
): LifeNote | null => {
  switch (event._tag) {
    case "Started":
      return started(before, after, serverId)
    case "Drained":
      if (before._tag !== "Draining" || after._tag !== "Hibernated") return null
      return moves ? { kind: "moved" } : { kind: "slept", reason: before.reason }
    case "ProcessExited":
      return after._tag === "Closed" && before._tag !== "Closed" ? { kind: "closed" } : null
    case "StartFailed":
      return after._tag === "Closed" ? { kind: "failed", detail: event.message } : null
    case "Revived":
      return isLost(before, after) ? { kind: "lost" } : null
    case "SavePlaced":
      return before._tag === "Replacing" && after._tag === "Hibernated" && event.found
        ? { kind: "restored", saveId: before.save.saveId }
        : null
    case "WakeAsked":
    case "EpochClaimed":
    case "Placed":
    case "ServerFull":
    case "ServerWaking":
    case "ServerRefused":
    case "DrainAsked":
    case "StopAsked":
    case "VersionDeployed":
    case "DeleteAsked":
    case "Evicted":
    case "EvictionFailed":
    case "StateRemoved":
    case "SweepAsked":
    case "SetAsked":
    case "Published":
    case "SettingsSaved":
    case "RestoreAsked":
    case "RestoreDue":
      return null
  }
}

const started = (before: RoomState, after: RoomState, serverId: ServerId): LifeNote | null => {
  if (after._tag !== "Awake") return null
  const at = { version: after.at.version, server: serverId(after.at.serverIndex) }
  if (before._tag === "Restarting") return { kind: "restarted", ...at }
  if (before._tag !== "Starting") return null
  return { kind: before.stored ? "woken" : "created", ...at }
}

/** It was up on a server that has it no more. */
const isLost = (before: RoomState, after: RoomState): boolean =>
  after._tag === "Hibernated" &&
  (before._tag === "Awake" || before._tag === "Restarting" || before._tag === "Draining")

/** Settings that an order writes, as the room's life tells them; `null` = it writes none. */
export const lifeOfAction = (action: RoomAction): LifeNote | null => {
  if (action._tag !== "SaveSettings") return null
  const { retention, public: isPublic } = action.settings
  const said = [
    ...(retention === undefined ? [] : [`retention ${retention ?? "as its type says"}`]),
    ...(isPublic === undefined ? [] : [isPublic ? "public" : "not public"])
  ]
  return said.length === 0 ? null : { kind: "set", detail: said.join(", ") }
}
