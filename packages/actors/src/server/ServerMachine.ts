import { Limits } from "@atrium/domain/Limits"
import { type RoomClass, RoomClasses } from "@atrium/domain/RoomClass"
import { Data } from "effect"

/** A room's place on a server. */
export interface Place {
  readonly roomId: string
  readonly epoch: number
  readonly slot: number
  readonly cost: number
}

/**
 * The slot budget of one server of a project: which rooms it holds, at most Limits.serverBudget in
 * 120ths. It lives as long as the processes that it counts, so it is never stored. Source: D-46.
 */
export interface ServerState {
  readonly places: ReadonlyArray<Place>
  readonly closing: boolean
}

export const emptyServer: ServerState = { places: [], closing: false }

export type ServerEvent = Data.TaggedEnum<{
  AdmitAsked: { readonly roomId: string; readonly epoch: number; readonly class: RoomClass }
  RoomGone: { readonly roomId: string; readonly epoch: number }
  ShutdownAsked: {}
}>
export const ServerEvent = Data.taggedEnum<ServerEvent>()

export type ServerAction = Data.TaggedEnum<{
  /** The server's first room: it starts with what its project has set now, until it is empty again. */
  Boot: {}
  Admit: { readonly place: Place }
  /** The budget is used up: the next server may have room. */
  RefuseFull: {}
  RefuseClosing: {}
}>
export const ServerAction = Data.taggedEnum<ServerAction>()

type Step = readonly [ServerState, ReadonlyArray<ServerAction>]

/** Total: every event has an answer in every state. */
export const step = (state: ServerState, event: ServerEvent): Step => {
  switch (event._tag) {
    case "AdmitAsked":
      return admit(state, event)
    case "RoomGone":
      return [without(state, event), []]
    case "ShutdownAsked":
      return [{ ...state, closing: true }, []]
  }
}

const admit = (
  state: ServerState,
  event: { readonly roomId: string; readonly epoch: number; readonly class: RoomClass }
): Step => {
  if (state.closing) return [state, [ServerAction.RefuseClosing()]]
  const held = state.places.find((place) => place.roomId === event.roomId)
  if (held !== undefined) {
    // A restart keeps the slot and moves the place to the new epoch.
    const place = { ...held, epoch: event.epoch }
    const places = state.places.map((other) => (other === held ? place : other))
    return [{ ...state, places }, [ServerAction.Admit({ place })]]
  }
  const { cost } = RoomClasses[event.class]
  if (used(state) + cost > Limits.serverBudget.max) return [state, [ServerAction.RefuseFull()]]
  const place: Place = { roomId: event.roomId, epoch: event.epoch, slot: freeSlot(state), cost }
  const boot = state.places.length === 0 ? [ServerAction.Boot()] : []
  return [{ ...state, places: [...state.places, place] }, [...boot, ServerAction.Admit({ place })]]
}

const without = (
  state: ServerState,
  gone: { readonly roomId: string; readonly epoch: number }
): ServerState => {
  const places = state.places.filter(
    (place) => place.roomId !== gone.roomId || place.epoch !== gone.epoch
  )
  return places.length === state.places.length ? state : { ...state, places }
}

/** Share of the budget in use, in 120ths. */
export const used = (state: ServerState): number =>
  state.places.reduce((sum, place) => sum + place.cost, 0)

/** The lowest index that no room holds. Source: D-06. */
const freeSlot = (state: ServerState): number => {
  const taken = new Set(state.places.map((place) => place.slot))
  let slot = 0
  while (taken.has(slot)) slot++
  return slot
}
