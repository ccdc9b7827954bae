import { VoiceClientLimits } from "@atrium/wire/voice/VoiceClientLimits"

import { backoffMs } from "../client/SessionMachine.ts"

/** Where a client stands with the call of its room. */
export type VoiceState =
  | { readonly _tag: "Joining"; readonly attempts: number; readonly first: boolean }
  | { readonly _tag: "Joined"; readonly attempts: number; readonly joinedAtMs: number }
  /** Waits to join again. */
  | { readonly _tag: "Waiting"; readonly attempts: number; readonly first: boolean }
  /** The room's connection is away. */
  | { readonly _tag: "Away"; readonly attempts: number; readonly first: boolean }
  | { readonly _tag: "Ended" }

export type VoiceEvent =
  /** The call has answered the join. */
  | { readonly _tag: "Answered"; readonly nowMs: number }
  | { readonly _tag: "Refused"; readonly code: string; readonly message: string }
  /** The call says that the client is in it no more, no answer came, or the media connection failed. */
  | { readonly _tag: "Lost"; readonly nowMs: number; readonly random: number }
  | { readonly _tag: "WaitElapsed" }
  | { readonly _tag: "RoomDropped" }
  | { readonly _tag: "RoomBack" }
  | { readonly _tag: "LeaveAsked"; readonly code: string; readonly message: string }

export type VoiceAction =
  /** Makes a connection and asks to join by it. */
  | { readonly _tag: "Connect" }
  | { readonly _tag: "Disconnect" }
  | { readonly _tag: "StartWait"; readonly waitMs: number }
  | { readonly _tag: "SayLeave" }
  | { readonly _tag: "SettleJoin" }
  | { readonly _tag: "FailJoin"; readonly code: string; readonly message: string }
  | { readonly _tag: "TellEnd"; readonly code: string; readonly message: string }

type Step = readonly [VoiceState, ReadonlyArray<VoiceAction>]

const backoff = {
  baseMs: VoiceClientLimits.voiceBackoffBase.ms,
  capMs: VoiceClientLimits.voiceBackoffCap.ms
}

export const firstJoin: VoiceState = { _tag: "Joining", attempts: 0, first: true }

const ended: VoiceState = { _tag: "Ended" }
const connect: VoiceAction = { _tag: "Connect" }
const disconnect: VoiceAction = { _tag: "Disconnect" }

/** A refusal that passes soon. */
const passes = (code: string): boolean => code === "E_RATE_LIMITED"

/** Decides what a client in a call does next: it stays until it leaves, or until a refusal says stop. */
export const step = (state: VoiceState, event: VoiceEvent): Step => {
  if (state._tag === "Ended") return [state, []]
  switch (event._tag) {
    case "Answered":
      return answered(state, event.nowMs)
    case "Refused":
      return refused(state, event)
    case "Lost":
      return lost(state, event)
    case "WaitElapsed":
      return state._tag === "Waiting" ? [{ ...state, _tag: "Joining" }, [connect]] : [state, []]
    case "RoomDropped":
      return state._tag === "Away" ? [state, []] : [awayOf(state), [disconnect]]
    case "RoomBack":
      return state._tag === "Away" ? [{ ...state, _tag: "Joining" }, [connect]] : [state, []]
    case "LeaveAsked": {
      const { code, message } = event
      const says: ReadonlyArray<VoiceAction> = [{ _tag: "SayLeave" }, disconnect]
      return [ended, [...says, endOf(state, { code, message })]]
    }
  }
}

type Live = Exclude<VoiceState, { readonly _tag: "Ended" }>

/** Whether the game still waits for its join. */
const isFirst = (state: Live): boolean => state._tag !== "Joined" && state.first

const endOf = (
  state: Live,
  why: { readonly code: string; readonly message: string }
): VoiceAction => ({ _tag: isFirst(state) ? "FailJoin" : "TellEnd", ...why })

const answered = (state: Live, nowMs: number): Step => {
  if (state._tag !== "Joining") return [state, []]
  const joined: VoiceState = { _tag: "Joined", attempts: state.attempts, joinedAtMs: nowMs }
  return [joined, state.first ? [{ _tag: "SettleJoin" }] : []]
}

const refused = (
  state: Live,
  { code, message }: Extract<VoiceEvent, { readonly _tag: "Refused" }>
): Step => {
  if (state._tag !== "Joining") return [state, []]
  if (!passes(code)) return [ended, [disconnect, endOf(state, { code, message })]]
  return waiting(state, { attempts: state.attempts, random: 1 })
}

const lost = (
  state: Live,
  { nowMs, random }: Extract<VoiceEvent, { readonly _tag: "Lost" }>
): Step => {
  if (state._tag === "Waiting" || state._tag === "Away") return [state, []]
  const lasted =
    state._tag === "Joined" && nowMs - state.joinedAtMs >= VoiceClientLimits.voiceLasted.ms
  return waiting(state, { attempts: lasted ? 0 : state.attempts, random })
}

const waiting = (
  state: Live,
  { attempts, random }: { readonly attempts: number; readonly random: number }
): Step => {
  const waitMs = backoffMs(backoff, attempts, random)
  const next: VoiceState = { _tag: "Waiting", attempts: attempts + 1, first: isFirst(state) }
  return [next, [disconnect, { _tag: "StartWait", waitMs }]]
}

const awayOf = (state: Live): VoiceState => ({
  _tag: "Away",
  attempts: state.attempts,
  first: isFirst(state)
})
