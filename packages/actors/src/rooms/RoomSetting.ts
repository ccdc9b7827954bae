import {
  notThere,
  refuse,
  RoomAction,
  type RoomSettings,
  type RoomState,
  stay,
  type Step
} from "./RoomState.ts"

/**
 * PATCH of a room changes all that it names, or nothing. Whether its game has started an awake room knows
 * before its row does, so that it is asked. Spec: Rooms rules 4 to 6; D-21.
 */
export const setAsked = (state: RoomState, { settings, started, inert }: SetAsked): Step => {
  if (state._tag === "Absent") return stay(state, notThere)
  if (settings.public === true && inert) return stay(state, neverPublic)
  if (settings.public === undefined) return stay(state, RoomAction.SaveSettings({ settings }))
  if (state._tag === "Awake") return stay(state, RoomAction.PublishRoom({ at: state.at, settings }))
  return published(state, { settings, started })
}

interface SetAsked {
  readonly settings: RoomSettings
  readonly started: boolean
  readonly inert: boolean
}

const neverPublic = refuse("E_BRANCH", "public: the room is for trying, and never public")

export const published = (
  state: RoomState,
  { settings, started }: { readonly settings: RoomSettings; readonly started: boolean }
): Step => stay(state, started ? gameStarted : RoomAction.SaveSettings({ settings }))

const gameStarted = refuse("E_ROOM_STARTED", "public: the room's game has started")
