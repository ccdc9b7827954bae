import { LoginLimits } from "@atrium/domain/logins/LoginLimits"
import { Data } from "effect"

/**
 * The login of a device that a person allows in a browser. Past `expiresAtMs` it is over in every
 * state. Source: D-23.
 */
export type DeviceLoginState = Data.TaggedEnum<{
  Waiting: { readonly expiresAtMs: number; readonly polledAtMs: number | null }
  Approved: { readonly expiresAtMs: number; readonly accountId: string }
  Denied: { readonly expiresAtMs: number }
  /** The device has its token: a second one there is not. */
  Taken: { readonly expiresAtMs: number }
}>
export const DeviceLoginState = Data.taggedEnum<DeviceLoginState>()

export type DeviceLoginEvent = Data.TaggedEnum<{
  /** The device asks for its token. */
  Polled: { readonly nowMs: number }
  /** Somebody who is logged in wants to know what asks. */
  Looked: { readonly nowMs: number }
  Decided: { readonly nowMs: number; readonly accountId: string; readonly allow: boolean }
}>
export const DeviceLoginEvent = Data.taggedEnum<DeviceLoginEvent>()

export type DeviceLoginAction = Data.TaggedEnum<{
  IssueToken: { readonly accountId: string }
  /** Nobody has decided: the device asks again after the interval. */
  AskLater: {}
  /** A look or a decision was taken. */
  Confirm: {}
  RefuseTooSoon: { readonly retryAfterMs: number }
  /** One answer for whatever was never there, is over, was denied, or is done. */
  RefuseUnknown: {}
}>
export const DeviceLoginAction = Data.taggedEnum<DeviceLoginAction>()

type Step = readonly [DeviceLoginState, DeviceLoginAction]

/** Total: every event has one answer in every state, and a refusal moves nothing. */
export const step = (state: DeviceLoginState, event: DeviceLoginEvent): Step => {
  if (event.nowMs >= state.expiresAtMs) return [state, DeviceLoginAction.RefuseUnknown()]
  switch (state._tag) {
    case "Waiting":
      return whileWaiting(state, event)
    case "Approved":
      return event._tag === "Polled"
        ? [
            DeviceLoginState.Taken({ expiresAtMs: state.expiresAtMs }),
            DeviceLoginAction.IssueToken({ accountId: state.accountId })
          ]
        : [state, DeviceLoginAction.RefuseUnknown()]
    case "Denied":
    case "Taken":
      return [state, DeviceLoginAction.RefuseUnknown()]
  }
}

const whileWaiting = (
  state: Extract<DeviceLoginState, { readonly _tag: "Waiting" }>,
  event: DeviceLoginEvent
): Step => {
  const { expiresAtMs } = state
  switch (event._tag) {
    case "Looked":
      return [state, DeviceLoginAction.Confirm()]
    case "Decided":
      return [
        event.allow
          ? DeviceLoginState.Approved({ expiresAtMs, accountId: event.accountId })
          : DeviceLoginState.Denied({ expiresAtMs }),
        DeviceLoginAction.Confirm()
      ]
    case "Polled": {
      const { nowMs } = event
      const retryAfterMs =
        state.polledAtMs === null ? 0 : state.polledAtMs + LoginLimits.devicePoll.ms - nowMs
      return retryAfterMs > 0
        ? [state, DeviceLoginAction.RefuseTooSoon({ retryAfterMs })]
        : [
            DeviceLoginState.Waiting({ expiresAtMs, polledAtMs: nowMs }),
            DeviceLoginAction.AskLater()
          ]
    }
  }
}
