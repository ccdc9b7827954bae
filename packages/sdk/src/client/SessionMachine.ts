import { CloseCodes, mayReconnect } from "@atrium/wire/frames/CloseCode"

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
  | { readonly tag: "Joining"; readonly knocking: Knocking | null }
  /** Waits to join again. Spec: Errors, E_TENANT_WAKING. */
  | { readonly tag: "Knocking"; readonly knocking: Knocking }
  | { readonly tag: "Joined"; readonly attempts: number; readonly joinedAtMs: number }
  | ({ readonly tag: "Waiting" } & Away)
  | ({ readonly tag: "Rejoining" } & Away)
  | { readonly tag: "Ended" }

export type SessionEvent =
  | { readonly tag: "Welcomed"; readonly nowMs: number }
  | {
      readonly tag: "ConnectionLost"
      readonly loss: Loss
      readonly nowMs: number
      readonly random: number
    }
  | {
      readonly tag: "ConnectionFailed"
      readonly why: Refusal
      readonly nowMs: number
      readonly random: number
    }
  | { readonly tag: "WaitElapsed" }
  | { readonly tag: "SchemaRefused"; readonly message: string }
  | { readonly tag: "LeaveAsked" }

export type SessionAction =
  | { readonly tag: "OpenConnection" }
  | { readonly tag: "CloseConnection"; readonly code: number }
  | { readonly tag: "StartWait"; readonly waitMs: number }
  | { readonly tag: "SettleJoin" }
  | { readonly tag: "FailJoin"; readonly refusal: Refusal; readonly closeCode: number | null }
  | { readonly tag: "TellDrop"; readonly code: number; readonly reason: string }
  | { readonly tag: "TellReconnect" }
  | { readonly tag: "TellError"; readonly refusal: Refusal }
  | { readonly tag: "TellLeave"; readonly code: number; readonly reason: string }

export type SessionStep = readonly [SessionState, ReadonlyArray<SessionAction>]

const Ended: SessionState = { tag: "Ended" }
const Nothing: ReadonlyArray<SessionAction> = []

/** Decides what a session does next: one connection at a time, resumed until a code says stop. */
export const makeSessionMachine =
  (settings: BackoffSettings) =>
  (state: SessionState, event: SessionEvent): SessionStep => {
    if (state.tag === "Ended") return [state, Nothing]
    switch (event.tag) {
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
            { tag: "CloseConnection", code: CloseCodes.normal.code },
            { tag: "TellLeave", code: CloseCodes.normal.code, reason: "the client left" }
          ]
        ]
    }
  }

const waited = (state: SessionState): SessionStep => {
  if (state.tag === "Waiting") {
    return [{ ...state, tag: "Rejoining" }, [{ tag: "OpenConnection" }]]
  }
  return state.tag === "Knocking"
    ? [{ tag: "Joining", knocking: state.knocking }, [{ tag: "OpenConnection" }]]
    : [state, Nothing]
}

const welcomed = (state: SessionState, nowMs: number): SessionStep => {
  switch (state.tag) {
    case "Joining":
      return [{ tag: "Joined", attempts: 0, joinedAtMs: nowMs }, [{ tag: "SettleJoin" }]]
    case "Rejoining":
      return [
        { tag: "Joined", attempts: state.attempts, joinedAtMs: nowMs },
        [{ tag: "TellReconnect" }]
      ]
    case "Joined":
    case "Waiting":
    case "Knocking":
    case "Ended":
      return [state, Nothing]
  }
}

type Lost = Extract<SessionEvent, { readonly tag: "ConnectionLost" }>
type Failed = Extract<SessionEvent, { readonly tag: "ConnectionFailed" }>

const lost = (state: SessionState, event: Lost, settings: BackoffSettings): SessionStep => {
  const { code } = event.loss
  if (state.tag === "Joining") return notJoined(state, event, settings)
  if (isIdle(state)) return [state, Nothing]
  if (!mayReconnect(code)) {
    const told: ReadonlyArray<SessionAction> =
      event.loss.refusal !== null && state.tag === "Rejoining"
        ? [{ tag: "TellError", refusal: event.loss.refusal }]
        : Nothing
    return [Ended, [...told, { tag: "TellLeave", code, reason: reasonOf(event.loss) }]]
  }
  return retry(state, { ...event, last: { code, reason: reasonOf(event.loss) } }, settings)
}

type Idle = Extract<SessionState, { readonly tag: "Waiting" | "Knocking" | "Ended" }>

/** There is no connection, and none is being made. */
const isIdle = (state: SessionState): state is Idle =>
  state.tag === "Waiting" || state.tag === "Knocking" || state.tag === "Ended"

/** Whoever is refused for something that passes soon need not know. */
const notJoined = (
  { knocking }: Extract<SessionState, { readonly tag: "Joining" }>,
  { loss, nowMs, random }: Lost,
  settings: BackoffSettings
): SessionStep => {
  const { attempts, refusedAtMs } = knocking ?? { attempts: 0, refusedAtMs: nowMs }
  const leftMs = refusedAtMs + settings.wakingForMs - nowMs
  if (loss.code !== CloseCodes.waking.code || leftMs <= 0) {
    return [Ended, [{ tag: "FailJoin", refusal: refusalOf(loss), closeCode: loss.code }]]
  }
  const waitMs = Math.min(backoffMs(settings, attempts, random), leftMs)
  return [
    { tag: "Knocking", knocking: { attempts: attempts + 1, refusedAtMs } },
    [{ tag: "StartWait", waitMs }]
  ]
}

const failed = (state: SessionState, event: Failed, settings: BackoffSettings): SessionStep => {
  if (state.tag === "Joining") {
    // Nobody will resume this one: a consented close lets the room forget it at once.
    return [
      Ended,
      [
        { tag: "CloseConnection", code: CloseCodes.normal.code },
        { tag: "FailJoin", refusal: event.why, closeCode: null }
      ]
    ]
  }
  if (isIdle(state)) return [state, Nothing]
  const last = { code: ClientClose.abandoned, reason: event.why.message }
  const [next, actions] = retry(state, { ...event, last }, settings)
  return [next, [{ tag: "CloseConnection", code: ClientClose.abandoned }, ...actions]]
}

const retry = (
  state: Extract<SessionState, { readonly tag: "Joined" | "Rejoining" }>,
  event: { readonly nowMs: number; readonly random: number; readonly last: Away["last"] },
  settings: BackoffSettings
): SessionStep => {
  const { nowMs, last } = event
  const droppedAtMs = state.tag === "Joined" ? nowMs : state.droppedAtMs
  // A welcome alone proves little: a room that fails on every first patch must not be hammered.
  const lasted = state.tag === "Joined" && nowMs - state.joinedAtMs >= settings.capMs
  const attempts = lasted ? 0 : state.attempts
  const leftMs = droppedAtMs + settings.reconnectForMs - nowMs
  if (leftMs <= 0) return [Ended, [{ tag: "TellLeave", ...last }]]
  const waitMs = Math.min(backoffMs(settings, attempts, event.random), leftMs)
  const drop: ReadonlyArray<SessionAction> =
    state.tag === "Joined" ? [{ tag: "TellDrop", ...last }] : Nothing
  return [
    { tag: "Waiting", attempts: attempts + 1, droppedAtMs, last },
    [...drop, { tag: "StartWait", waitMs }]
  ]
}

/** Exponential back-off with full jitter: anywhere from 0 to the bound, so that a crowd spreads. */
export const backoffMs = (settings: BackoffSettings, attempts: number, random: number): number =>
  Math.floor(random * Math.min(settings.capMs, settings.baseMs * 2 ** attempts))

const schemaRefused = (state: SessionState, message: string): SessionStep => {
  const refusal = { code: "E_SCHEMA_MISMATCH", message }
  const close = { tag: "CloseConnection", code: CloseCodes.normal.code } as const
  if (state.tag === "Joining")
    return [Ended, [close, { tag: "FailJoin", refusal, closeCode: null }]]
  return [
    Ended,
    [
      close,
      { tag: "TellError", refusal },
      { tag: "TellLeave", code: ClientClose.schemaMismatch, reason: refusal.code }
    ]
  ]
}

const refusalOf = (loss: Loss): Refusal => {
  if (loss.refusal !== null) return loss.refusal
  const row = Object.values(CloseCodes).find((each) => each.code === loss.code)
  if (row !== undefined)
    return { code: row.name, message: loss.reason === "" ? row.says : loss.reason }
  return { code: "E_UNREACHABLE", message: loss.reason === "" ? "no connection" : loss.reason }
}

const reasonOf = (loss: Loss): string => (loss.reason !== "" ? loss.reason : refusalOf(loss).code)
