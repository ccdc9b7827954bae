import type { RunnerIntake } from "@atrium/domain/fleet/RunnerStatus"
import type { ServerTerms } from "@atrium/domain/projects/ServerSettings"
import { ServerLimits } from "@atrium/domain/servers/ServerLimits"
import { type RoomClass, RoomClasses } from "@atrium/wire/rooms/RoomClass"
import { Data } from "effect"

import {
  calm,
  type Pressure,
  relieve,
  ringsToResize,
  type RingSize,
  type Sample
} from "./Pressure.ts"

/** A room's place on a server. */
export interface Place {
  readonly roomId: string
  readonly epoch: number
  readonly slot: number
  readonly cost: number
}

/**
 * The slot budget of one server of a project: which rooms it holds, at most ServerLimits.serverBudget in
 * 120ths, and how near its memory is to its end. It lives as long as the processes that it counts, so
 * it is never stored. Source: D-46.
 */
export interface ServerState {
  readonly places: ReadonlyArray<Place>
  readonly closing: boolean
  /** Memory that its rooms may take: set at its start, more when a larger class is declared. */
  readonly roomsMib: number
  readonly pressure: Pressure
}

export const emptyServer: ServerState = { places: [], closing: false, roomsMib: 0, pressure: calm }

interface Admission {
  readonly roomId: string
  readonly epoch: number
  /** Which server of its project it is; the first one is 0. */
  readonly nth: number
  readonly class: RoomClass
  /** As the project has them now. */
  readonly terms: ServerTerms
  /** Whether the server's runner takes rooms that have no place yet. */
  readonly intake: RunnerIntake
}

export type ServerEvent = Data.TaggedEnum<{
  AdmitAsked: Admission
  RoomGone: { readonly roomId: string; readonly epoch: number }
  MemorySampled: Sample
  ShutdownAsked: {}
}>
export const ServerEvent = Data.taggedEnum<ServerEvent>()

export type ServerAction = Data.TaggedEnum<{
  /** The server's first room: it starts with what its project has set now, until it is empty again. */
  Boot: {}
  Admit: { readonly place: Place }
  /** The budget is used up, or the runner takes no rooms: the next server may. */
  RefuseFull: {}
  /** The budget is used up, or it is a further server, which the free plan does not have. */
  RefuseFree: {}
  /** It is near its memory limit. */
  RefuseNear: {}
  /** No runner that the room could go to takes rooms. */
  RefuseCordoned: {}
  RefuseClosing: {}
  /** Has an empty room put to sleep before its time. It leaves by `RoomGone`, or a client came. */
  SleepRoom: { readonly roomId: string; readonly epoch: number }
  /** Ends the room's process: it starts from its last snapshot, and what came after is lost. */
  RestartRoom: { readonly roomId: string; readonly epoch: number }
  /** The footage of a room may take less, or as much as before. */
  ResizeRing: { readonly roomId: string; readonly epoch: number; readonly ring: RingSize }
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
    case "MemorySampled":
      return sampled(state, event)
    case "ShutdownAsked":
      return [{ ...state, closing: true }, []]
  }
}

const admit = (state: ServerState, event: Admission): Step => {
  if (state.closing) return [state, [ServerAction.RefuseClosing()]]
  const held = state.places.find((place) => place.roomId === event.roomId)
  if (held !== undefined) {
    // A restart keeps the slot and moves the place to the new epoch.
    const place = { ...held, epoch: event.epoch }
    const places = state.places.map((other) => (other === held ? place : other))
    return [{ ...state, places }, [ServerAction.Admit({ place })]]
  }
  const { cost } = RoomClasses[event.class]
  const { plan } = event.terms
  const { intake } = event
  if (intake === "closed" || (intake === "elsewhere" && plan === "free"))
    return [state, [ServerAction.RefuseCordoned()]]
  if (intake === "elsewhere") return [state, [ServerAction.RefuseFull()]]
  if (plan === "free" && (event.nth > 0 || isFullForFree(state, cost)))
    return [state, [ServerAction.RefuseFree()]]
  if (isFull(state, cost)) return [state, [ServerAction.RefuseFull()]]
  if (state.pressure._tag === "Near") return [state, [ServerAction.RefuseNear()]]
  const place: Place = { roomId: event.roomId, epoch: event.epoch, slot: freeSlot(state), cost }
  const starts = state.places.length === 0
  const roomsMib = Math.max(starts ? 0 : state.roomsMib, event.terms.roomsMib)
  const next = { ...state, roomsMib, places: [...state.places, place] }
  return [next, [...(starts ? [ServerAction.Boot()] : []), ServerAction.Admit({ place })]]
}

const isFull = (state: ServerState, cost: number): boolean =>
  used(state) + cost > ServerLimits.serverBudget.max

const isFullForFree = (state: ServerState, cost: number): boolean =>
  isFull(state, cost) || state.places.length >= ServerLimits.roomsAwakeFree.max

const sampled = (state: ServerState, sample: Sample): Step => {
  if (state.closing) return [state, []]
  const held = (room: Sample["rooms"][number]): boolean =>
    state.places.some(({ roomId, epoch }) => roomId === room.roomId && epoch === room.epoch)
  const rooms = sample.rooms.filter(held)
  const [pressure, order] = relieve(state.pressure, { ...sample, rooms }, state.roomsMib)
  const next = pressure === state.pressure ? state : { ...state, pressure }
  const resized = ringsToResize(pressure, rooms).map((ring) => ServerAction.ResizeRing(ring))
  switch (order?.what) {
    case "sleep":
      return [next, [...resized, ServerAction.SleepRoom(order.room)]]
    case "restart":
      return [next, [...resized, ServerAction.RestartRoom(order.room)]]
    case undefined:
      return [next, resized]
  }
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
