import { HandoverLimits } from "@atrium/domain/handover/HandoverLimits"
import { Data } from "effect"

/**
 * A client whose room moves to another runner, as its connection sees it: its frames wait from the moment at
 * which the room took its last one until the next incarnation has welcomed it. Source: C-416, C-417.
 */
export type HandoverState = Data.TaggedEnum<{
  /** The room answers what it has taken, and is stored. */
  Held: { readonly bytes: number }
  /** The room is stored. The client looks for its next place. */
  Moving: { readonly bytes: number }
  /** The client has a seat in the next incarnation, and no welcome yet. */
  Seated: { readonly bytes: number }
  Over: {}
}>
export const HandoverState = Data.taggedEnum<HandoverState>()

export type HandoverEvent = Data.TaggedEnum<{
  FrameCame: { readonly bytes: number }
  RoomMoved: {}
  SeatTaken: {}
  /** `same`: the session is the one that the frames belong to. */
  Welcomed: { readonly same: boolean }
  /** The time of the move is over. */
  TimePassed: {}
  /** The connection was closed by its client or the service, or it was lost. */
  ClientLeft: {}
}>
export const HandoverEvent = Data.taggedEnum<HandoverEvent>()

/** What the connection has to do after an event; `null` = nothing. */
export type HandoverAction =
  | "keepFrame"
  | "lookForRoom"
  /** The frames that wait go to the room, each once, in their order. */
  | "replay"
  /** The frames that wait are dropped: they belong to a session that is gone. */
  | "forget"
  /** The connection is closed with 1012. */
  | "giveUp"

/** The state of a connection whose room begins to move. */
export const held: HandoverState = HandoverState.Held({ bytes: 0 })

const over = HandoverState.Over()

type Step = readonly [HandoverState, HandoverAction | null]

/** Total: every event has an answer in every state. */
export const step = (state: HandoverState, event: HandoverEvent): Step => {
  if (state._tag === "Over") return [state, null]
  switch (event._tag) {
    case "FrameCame": {
      const bytes = state.bytes + event.bytes
      if (bytes > HandoverLimits.handoverBytes.max) return [over, "giveUp"]
      return [{ ...state, bytes }, "keepFrame"]
    }
    case "RoomMoved":
      // The next incarnation may be put away, too, before it has welcomed the client.
      if (state._tag === "Moving") return [state, null]
      return [HandoverState.Moving({ bytes: state.bytes }), "lookForRoom"]
    case "SeatTaken":
      if (state._tag === "Held") return [state, null]
      return [HandoverState.Seated({ bytes: state.bytes }), null]
    case "Welcomed":
      if (state._tag !== "Seated") return [state, null]
      return [over, event.same ? "replay" : "forget"]
    case "TimePassed":
      return [over, "giveUp"]
    case "ClientLeft":
      return [over, null]
  }
}
