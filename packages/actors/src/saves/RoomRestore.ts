import {
  notThere,
  onItsWay,
  refuse,
  RoomAction,
  RoomState,
  type SaveRef,
  type Seat,
  stay,
  type Step
} from "../rooms/RoomState.ts"

/**
 * How a save takes the place of a room's state. The answer comes when it is queued; it takes effect
 * when the project's servers have stopped. Until the save is in place the old state stands.
 * Spec: States and transitions; D-11.
 */
export const restoreAsked = (state: RoomState, save: SaveRef | null): Step => {
  if (state._tag === "Absent") return stay(state, notThere)
  if (save === null) return stay(state, noSuchSave)
  switch (state._tag) {
    case "Hibernated":
    case "Closed":
      return queued(state.type, save)
    case "Awake":
    case "Restarting":
      return [
        RoomState.Restoring({ type: state.at.type, save, at: state.at }),
        [RoomAction.AnswerDone()]
      ]
    case "Restoring":
      return [RoomState.Restoring({ ...state, save }), [RoomAction.AnswerDone()]]
    case "Placing":
    case "Starting":
    case "Draining":
    case "Evicting":
    case "Deleting":
    case "Replacing":
      return stay(state, onItsWay)
  }
}

const noSuchSave = refuse("E_SAVE_NOT_FOUND", "no such save")

const queued = (type: string, save: SaveRef): Step => [
  RoomState.Restoring({ type, save, at: null }),
  [RoomAction.AnswerDone()]
]

/**
 * The room's process has died before the restore takes effect. Its state is given up, so no other process
 * starts, and its clients come back to the restored room.
 */
export const diedRestoring = (
  state: Extract<RoomState, { readonly _tag: "Restoring" }>,
  { epoch, serverIndex }: Seat
): Step => [
  RoomState.Restoring({ type: state.type, save: state.save, at: null }),
  [RoomAction.CloseRoom({ at: { epoch, serverIndex }, because: "restarting" })]
]

/** Gives up what the room did since: its process ends without storing anything. */
export const restoreDue = (state: RoomState): Step => {
  if (state._tag !== "Restoring") return stay(state)
  const { type, save, at } = state
  const close = at === null ? [] : [RoomAction.CloseRoom({ at, because: "restarting" })]
  return [RoomState.Replacing({ type, save, epoch: null }), [...close, RoomAction.ClaimEpoch()]]
}

export const restoreClaimed = (
  state: Extract<RoomState, { readonly _tag: "Replacing" }>,
  epoch: number
): Step => [
  RoomState.Replacing({ ...state, epoch }),
  [RoomAction.PlaceSave({ save: state.save, epoch })]
]

export const savePlaced = (state: RoomState): Step =>
  state._tag === "Replacing" && state.epoch !== null
    ? [RoomState.Hibernated({ type: state.type }), [RoomAction.AnswerDone()]]
    : stay(state)
