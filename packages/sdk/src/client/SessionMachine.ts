import { CloseCodes } from "@atrium/wire/frames/CloseCode"
import { closeCodeOfNumber, mayReconnect } from "@atrium/wire/frames/Closing"

/** Close codes that the client itself sends or reports. A browser lets 3000 to 4999 through. */
export const ClientClose = {
  /** The client gave up on a connection and means to resume the session on a new one. */
  abandoned: 4000,
  /** Reported to `onLeave` only: the room's schema cannot be read with the client's. */
  schemaMismatch: 4001,
  /** What WebSocket itself reports for a connection that was lost or never made. */
  lost: 1006
} as const

/** Why a connection ended. `refusal` is the error frame that came before the close. */
export interface Loss {
  readonly code: number
  readonly reason: string
  readonly refusal: Refusal | null
}

export interface Refusal {
  readonly code: string
  readonly message: string
}

export interface BackoffSettings {
  readonly baseMs: number
  readonly capMs: number
  /** Time after a drop during which the client goes on trying; 0 never reconnects. */
  readonly reconnectForMs: number
  /** Time for which a first join waits for a server that takes no rooms now; 0 = not at all. */
  readonly wakingForMs: number
}

/** A join that has not come in yet. */
interface Knocking {
  readonly attempts: number
  /** When the server said for the first time that it takes no rooms now. */
  readonly refusedAtMs: number
}

interface Away {
  readonly attempts: number
  readonly droppedAtMs: number
  readonly last: { readonly code: number; readonly reason: string }
}

export type SessionState =
  | { readonly _tag: "Joining"; readonly knocking: Knocking | null }
  /** Waits to join again. Spec: Errors, E_TENANT_WAKING. */
  | { readonly _tag: "Knocking"; readonly knocking: Knocking }
  | { readonly _tag: "Joined"; readonly attempts: number; readonly joinedAtMs: number }
  | ({ readonly _tag: "Waiting" } & Away)
  | ({ readonly _tag: "Rejoining" } & Away)
  | { readonly _tag: "Ended" }

export type SessionEvent =
  | { readonly _tag: "Welcomed"; readonly nowMs: number }
  | {
      readonly _tag: "ConnectionLost"
      readonly loss: Loss
      readonly nowMs: number
      readonly random: number
    }
  | {
      readonly _tag: "ConnectionFailed"
      readonly why: Refusal
      readonly nowMs: number
      readonly random: number
    }
  | { readonly _tag: "WaitElapsed" }
  | { readonly _tag: "SchemaRefused"; readonly message: string }
  | { readonly _tag: "LeaveAsked" }

export type SessionAction =
  | { readonly _tag: "OpenConnection" }
  | { readonly _tag: "CloseConnection"; readonly code: number }
  | { readonly _tag: "StartWait"; readonly waitMs: number }
  | { readonly _tag: "SettleJoin" }
  | { readonly _tag: "FailJoin"; readonly refusal: Refusal; readonly closeCode: number | null }
  | { readonly _tag: "TellDrop"; readonly code: number; readonly reason: string }
  | { readonly _tag: "TellReconnect" }
  | { readonly _tag: "TellError"; readonly refusal: Refusal }
  | { readonly _tag: "TellLeave"; readonly code: number; readonly reason: string }

export type SessionStep = readonly [SessionState, ReadonlyArray<SessionAction>]

const Ended: SessionState = { _tag: "Ended" }
const Nothing: ReadonlyArray<SessionAction> = []

/** Decides what a session does next: one connection at a time, resumed until a code says stop. */
export const makeSessionMachine =
  (settings: BackoffSettings) =>
  (state: SessionState, event: SessionEvent): SessionStep => {
    if (state._tag === "Ended") return [state, Nothing]
    switch (event._tag) {
      case "Welcomed":
        return welcomed(state, event.nowMs)
      case "ConnectionLost":
        return lost(state, event, settings)
      case "ConnectionFailed":
        return failed(state, event, settings)
      case "WaitElapsed":
        return waited(state)
      case "SchemaRefused":
        return schemaRefused(state, event.message)
      case "LeaveAsked":
        return [
          Ended,
          [
            { _tag: "CloseConnection", code: CloseCodes.normal.code },
            { _tag: "TellLeave", code: CloseCodes.normal.code, reason: "the client left" }
          ]
        ]
    }
  }

const waited = (state: SessionState): SessionStep => {
  if (state._tag === "Waiting") {
    return [{ ...state, _tag: "Rejoining" }, [{ _tag: "OpenConnection" }]]
  }
  return state._tag === "Knocking"
    ? [{ _tag: "Joining", knocking: state.knocking }, [{ _tag: "OpenConnection" }]]
    : [state, Nothing]
}

const welcomed = (state: SessionState, nowMs: number): SessionStep => {
  switch (state._tag) {
    case "Joining":
      return [{ _tag: "Joined", attempts: 0, joinedAtMs: nowMs }, [{ _tag: "SettleJoin" }]]
    case "Rejoining":
      return [
        { _tag: "Joined", attempts: state.attempts, joinedAtMs: nowMs },
        [{ _tag: "TellReconnect" }]
      ]
    case "Joined":
    case "Waiting":
    case "Knocking":
    case "Ended":
      return [state, Nothing]
  }
}

type Lost = Extract<SessionEvent, { readonly _tag: "ConnectionLost" }>
type Failed = Extract<SessionEvent, { readonly _tag: "ConnectionFailed" }>

const lost = (state: SessionState, event: Lost, settings: BackoffSettings): SessionStep => {
  const { code } = event.loss
  if (state._tag === "Joining") return notJoined(state, event, settings)
  if (isIdle(state)) return [state, Nothing]
  if (!mayReconnect(code)) {
    const told: ReadonlyArray<SessionAction> =
      event.loss.refusal !== null && state._tag === "Rejoining"
        ? [{ _tag: "TellError", refusal: event.loss.refusal }]
        : Nothing
    return [Ended, [...told, { _tag: "TellLeave", code, reason: reasonOf(event.loss) }]]
  }
  return retry(state, { ...event, last: { code, reason: reasonOf(event.loss) } }, settings)
}

type Idle = Extract<SessionState, { readonly _tag: "Waiting" | "Knocking" | "Ended" }>

/** There is no connection, and none is being made. */
const isIdle = (state: SessionState): state is Idle =>
  state._tag === "Waiting" || state._tag === "Knocking" || state._tag === "Ended"

/** The game need not know of a refusal that passes soon. */
const notJoined = (
  { knocking }: Extract<SessionState, { readonly _tag: "Joining" }>,
  { loss, nowMs, random }: Lost,
  settings: BackoffSettings
): SessionStep => {
  const { attempts, refusedAtMs } = knocking ?? { attempts: 0, refusedAtMs: nowMs }
  const leftMs = refusedAtMs + settings.wakingForMs - nowMs
  if (loss.code !== CloseCodes.waking.code || leftMs <= 0) {
    return [Ended, [{ _tag: "FailJoin", refusal: refusalOf(loss), closeCode: loss.code }]]
  }
  const waitMs = Math.min(backoffMs(settings, attempts, random), leftMs)
  return [
    { _tag: "Knocking", knocking: { attempts: attempts + 1, refusedAtMs } },
    [{ _tag: "StartWait", waitMs }]
  ]
}

const failed = (state: SessionState, event: Failed, settings: BackoffSettings): SessionStep => {
  if (state._tag === "Joining") {
    // Nobody will resume this one: a consented close lets the room forget it at once.
    return [
      Ended,
      [
        { _tag: "CloseConnection", code: CloseCodes.normal.code },
        { _tag: "FailJoin", refusal: event.why, closeCode: null }
      ]
    ]
  }
  if (isIdle(state)) return [state, Nothing]
  const last = { code: ClientClose.abandoned, reason: event.why.message }
  const [next, actions] = retry(state, { ...event, last }, settings)
  return [next, [{ _tag: "CloseConnection", code: ClientClose.abandoned }, ...actions]]
}

const retry = (
  state: Extract<SessionState, { readonly _tag: "Joined" | "Rejoining" }>,
  event: { readonly nowMs: number; readonly random: number; readonly last: Away["last"] },
  settings: BackoffSettings
): SessionStep => {
  const { nowMs, last } = event
  const droppedAtMs = state._tag === "Joined" ? nowMs : state.droppedAtMs
  // A welcome alone proves little: a room that fails on every first patch must not be hammered.
  const lasted = state._tag === "Joined" && nowMs - state.joinedAtMs >= settings.capMs
  const attempts = lasted ? 0 : state.attempts
  const leftMs = droppedAtMs + settings.reconnectForMs - nowMs
  if (leftMs <= 0) return [Ended, [{ _tag: "TellLeave", ...last }]]
  const waitMs = Math.min(backoffMs(settings, attempts, event.random), leftMs)
  const drop: ReadonlyArray<SessionAction> =
    state._tag === "Joined" ? [{ _tag: "TellDrop", ...last }] : Nothing
  return [
    { _tag: "Waiting", attempts: attempts + 1, droppedAtMs, last },
    [...drop, { _tag: "StartWait", waitMs }]
  ]
}

/** Exponential back-off with full jitter: anywhere from 0 to the bound, so that a crowd spreads. */
export const backoffMs = (
  settings: Pick<BackoffSettings, "baseMs" | "capMs">,
  attempts: number,
  random: number
): number => Math.floor(random * Math.min(settings.capMs, settings.baseMs * 2 ** attempts))

const schemaRefused = (state: SessionState, message: string): SessionStep => {
  const refusal = { code: "E_SCHEMA_MISMATCH", message }
  const close = { _tag: "CloseConnection", code: CloseCodes.normal.code } as const
  if (state._tag === "Joining")
    return [Ended, [close, { _tag: "FailJoin", refusal, closeCode: null }]]
  return [
    Ended,
    [
      close,
      { _tag: "TellError", refusal },
      { _tag: "TellLeave", code: ClientClose.schemaMismatch, reason: refusal.code }
    ]
  ]
}

const refusalOf = (loss: Loss): Refusal => {
  if (loss.refusal !== null) return loss.refusal
  return {
    code: closeCodeOfNumber(loss.code)?.name ?? "E_UNREACHABLE",
    message: loss.reason === "" ? `the connection was closed with ${loss.code}` : loss.reason
  }
}

const reasonOf = (loss: Loss): string => (loss.reason !== "" ? loss.reason : refusalOf(loss).code)
