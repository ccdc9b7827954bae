import {
  type Incarnation,
  notThere,
  onItsWay,
  refuse,
  RoomAction,
  RoomState,
  stay,
  type Step
} from "./RoomState.ts"

/**
 * How a room goes: asked for, or because its retention has lapsed. An awake one is emptied first;
 * then a new epoch keeps every incarnation from adding to what is removed. Spec: States and
 * transitions; Rooms rules 7 and 8.
 */
export const deleteAsked = (
  state: RoomState,
  { force, relay }: { readonly force: boolean; readonly relay: boolean }
): Step => {
  if (state._tag === "Absent") return stay(state, notThere)
  if (relay) return stay(state, relayRoom)
  switch (state._tag) {
    case "Hibernated":
    case "Closed":
      return remove(state.type)
    case "Awake":
    case "Restarting":
      return force ? evict(state) : stay(state, inUse)
    case "Restoring":
      if (state.at === null) return remove(state.type)
      return stay(state, force ? onItsWay : inUse)
    case "Starting":
    case "Draining":
    case "Placing":
    case "Evicting":
    case "Deleting":
    case "Replacing":
      return stay(state, force ? onItsWay : inUse)
  }
}

const inUse = refuse("E_ROOM_IN_USE", "the room is awake; force=true deletes it all the same")
const relayRoom = refuse("E_ROOM_IN_USE", "a relay room ends when its last client leaves")

/** Removes a room's stored objects, and then its row. */
export const remove = (type: string): Step => [
  RoomState.Deleting({ type, epoch: null }),
  [RoomAction.ClaimEpoch()]
]

const evict = (state: Extract<RoomState, { readonly _tag: "Awake" | "Restarting" }>): Step => {
  const { at, slot, restarts } = state
  return [RoomState.Evicting({ at, slot, restarts }), [RoomAction.EvictRoom({ at })]]
}

export const evicted = (state: RoomState, epoch: number): Step =>
  state._tag === "Evicting" && state.at.epoch === epoch ? remove(state.at.type) : stay(state)

/** The server may have done it all the same, unheard: it is asked before the next event. */
export const evictionFailed = (
  state: RoomState,
  { epoch, server }: { readonly epoch: number; readonly server: string }
): Step => {
  if (state._tag !== "Evicting" || state.at.epoch !== epoch) return stay(state)
  return [
    awakeAgain(state),
    [
      RoomAction.Doubt(),
      refuse("E_EVICT_FAILED", `${server} cannot be reached; nothing was deleted`)
    ]
  ]
}

/** An eviction whose outcome nobody told: the room is where it was. */
export const awakeAgain = (state: {
  readonly at: Incarnation
  readonly slot: number
  readonly restarts: ReadonlyArray<number>
}): RoomState => RoomState.Awake({ at: state.at, slot: state.slot, restarts: state.restarts })

export const removalClaimed = (
  state: Extract<RoomState, { readonly _tag: "Deleting" }>,
  epoch: number
): Step => [RoomState.Deleting({ type: state.type, epoch }), [RoomAction.RemoveState()]]

export const stateRemoved = (state: RoomState, objects: number): Step =>
  state._tag === "Deleting" && state.epoch !== null
    ? [RoomState.Absent(), [RoomAction.AnswerDeleted({ objects })]]
    : stay(state)

/**
 * The sweep removes no awake room, even when its time is over, and no room in quarantine: players could not be active
 * in a room in quarantine. Source: D-07, T-117, C-992.
 */
export const swept = (
  state: RoomState,
  { nowMs, deletesAtMs }: { readonly nowMs: number; readonly deletesAtMs: number | null }
): Step => {
  if (state._tag !== "Hibernated" && state._tag !== "Closed") return stay(state)
  if (state._tag === "Closed" && state.quarantined !== undefined) return stay(state)
  return deletesAtMs === null || nowMs < deletesAtMs ? stay(state) : remove(state.type)
}
