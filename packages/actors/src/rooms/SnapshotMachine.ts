import type { CapWall } from "@atrium/domain/meters/Caps"
import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"
import { Data } from "effect"

/** Why a save generation exists. Source: D-11. */
export type SaveReason = "interval" | "hibernate" | "manual"

/** The reason for a snapshot. */
export type SnapshotCause = "interval" | "durable" | "save" | "hibernate"

/**
 * When an awake room's state is asked for and stored: at most one request under way, a change at
 * most 10 s outside the store, one generation per 10 minutes of change. Saves are stored in groups:
 * the first at once, those that come soon after it together. Source: D-48, C-55.
 */
export interface SnapshotState {
  /** First change that no stored snapshot holds; `null` = everything is stored. */
  readonly changedAtMs: number | null
  readonly storedAtMs: number
  readonly generationAtMs: number
  /** End of the last request that answered saves; the next one waits a little for more of them. */
  readonly answeredAtMs: number | null
  /** Calls of room.save() and durable RPCs that the next snapshot answers. */
  readonly waiting: ReadonlyArray<Waiting>
  readonly draining: boolean
  /** The final snapshot has been stored, or could not be: nothing more is asked of the process. */
  readonly over: boolean
  readonly underWay: UnderWay | null
  readonly nextRequestId: number
}

interface Waiting {
  readonly saveId: number
  /** room.save() adds a generation; a durable RPC only wants to be stored. */
  readonly generation: boolean
  /** The storage wall at which no generation was added; `null` = there was none. */
  readonly wall: CapWall | null
}

interface UnderWay {
  readonly requestId: number
  readonly final: boolean
  readonly cause: SnapshotCause
  readonly generation: SaveReason | null
  readonly answers: ReadonlyArray<Waiting>
  /** First change that it stores; `null` = there is none. */
  readonly changedAtMs: number | null
}

export type SnapshotEvent = Data.TaggedEnum<{
  Changed: { readonly nowMs: number }
  /** At the storage wall (`wall`) the state is stored, and no generation is added. Source: D-45, C-502. */
  SaveRequested: {
    readonly saveId: number
    readonly generation: boolean
    readonly wall: CapWall | null
    readonly nowMs: number
  }
  DrainAsked: { readonly nowMs: number }
  TimerFired: { readonly nowMs: number }
  /** The room's process answered, and the bytes are stored or could not be. */
  Stored: { readonly requestId: number; readonly nowMs: number }
  StoreFailed: { readonly requestId: number; readonly nowMs: number }
}>
export const SnapshotEvent = Data.taggedEnum<SnapshotEvent>()

export type SnapshotAction = Data.TaggedEnum<{
  /** Asks the process for its state; what comes back is stored as the snapshot, and as a generation if named. */
  Request: {
    readonly requestId: number
    readonly final: boolean
    readonly cause: SnapshotCause
    readonly generation: SaveReason | null
  }
  /** Wakes the machine with `TimerFired`. The newest timer replaces the one before. */
  ArmTimer: { readonly atMs: number }
  Answer: { readonly saveId: number; readonly stored: boolean; readonly wall: CapWall | null }
  DrainEnded: { readonly stored: boolean }
}>
export const SnapshotAction = Data.taggedEnum<SnapshotAction>()

type Step = readonly [SnapshotState, ReadonlyArray<SnapshotAction>]

/** The state of a room that has just started: what it holds is what is stored. */
export const startedAt = (nowMs: number): SnapshotState => ({
  changedAtMs: null,
  storedAtMs: nowMs,
  generationAtMs: nowMs,
  answeredAtMs: null,
  waiting: [],
  draining: false,
  over: false,
  underWay: null,
  nextRequestId: 1
})

/** How much play would be lost if the room's process ended now: the stored state is that old. */
export const staleMs = ({ underWay, changedAtMs }: SnapshotState, nowMs: number): number => {
  const sinceMs = underWay?.changedAtMs ?? changedAtMs
  return sinceMs === null ? 0 : Math.max(0, nowMs - sinceMs)
}

/** Total: every event has an answer in every state. */
export const step = (state: SnapshotState, event: SnapshotEvent): Step => {
  if (state.over) return [state, event._tag === "SaveRequested" ? unanswerable([event]) : []]
  switch (event._tag) {
    case "Changed": {
      const changed = { ...state, changedAtMs: state.changedAtMs ?? event.nowMs }
      return proceed(changed, event.nowMs)
    }
    case "SaveRequested": {
      const { saveId, generation, wall } = event
      // The runtime asks for one at a time: a process that asks for more is not to be believed.
      if (state.waiting.length >= RuntimeLimits.savesWaiting.max)
        return [state, unanswerable([event])]
      const asked = { saveId, generation: generation && wall === null, wall }
      const waiting = [...state.waiting, asked]
      return proceed({ ...state, waiting }, event.nowMs)
    }
    case "DrainAsked":
      return proceed({ ...state, draining: true }, event.nowMs)
    case "TimerFired":
      return proceed(state, event.nowMs)
    case "Stored":
      return ended(state, event, true)
    case "StoreFailed":
      return ended(state, event, false)
  }
}

/** No snapshot comes any more that could hold what these want to be stored. */
const unanswerable = (saves: ReadonlyArray<Pick<Waiting, "saveId" | "wall">>) =>
  saves.map(({ saveId, wall }) => SnapshotAction.Answer({ saveId, stored: false, wall }))

/** Starts the next request if one is due and none is under way. */
const proceed = (state: SnapshotState, nowMs: number): Step => {
  if (state.underWay !== null) return [state, []]
  const waitMs = state.draining ? 0 : untilDueMs(state, nowMs)
  if (waitMs === null) return [state, []]
  if (waitMs > 0) return [state, [SnapshotAction.ArmTimer({ atMs: nowMs + waitMs })]]
  const underWay: UnderWay = {
    requestId: state.nextRequestId,
    final: state.draining,
    cause: causeOf(state),
    generation: generationOf(state, nowMs),
    answers: state.waiting,
    changedAtMs: state.changedAtMs
  }
  const next: SnapshotState = {
    ...state,
    changedAtMs: null,
    waiting: [],
    underWay,
    nextRequestId: state.nextRequestId + 1
  }
  const { requestId, final, cause, generation } = underWay
  return [next, [SnapshotAction.Request({ requestId, final, cause, generation })]]
}

/** Time until the next request is due; `null` = there is nothing to store. */
const untilDueMs = (state: SnapshotState, nowMs: number): number | null => {
  const changeMs = leftMs(state.storedAtMs, { spanMs: RoomLimits.snapshotEvery.ms, nowMs })
  if (state.waiting.length === 0) return state.changedAtMs === null ? null : changeMs
  const saveMs =
    state.answeredAtMs === null
      ? 0
      : leftMs(state.answeredAtMs, { spanMs: RoomLimits.savesEvery.ms, nowMs })
  return state.changedAtMs === null ? saveMs : Math.min(changeMs, saveMs)
}

/** The rest of a span. A clock that was set back ends it: nobody knows how much has passed. */
const leftMs = (
  sinceMs: number,
  { spanMs, nowMs }: { readonly spanMs: number; readonly nowMs: number }
): number => (nowMs < sinceMs ? 0 : Math.max(0, sinceMs + spanMs - nowMs))

const causeOf = ({ draining, waiting }: SnapshotState): SnapshotCause => {
  if (draining) return "hibernate"
  if (waiting.some(({ generation }) => generation)) return "save"
  return waiting.length > 0 ? "durable" : "interval"
}

const generationOf = (state: SnapshotState, nowMs: number): SaveReason | null => {
  if (state.draining) return "hibernate"
  if (state.waiting.some(({ generation }) => generation)) return "manual"
  const { generationAtMs } = state
  const left = leftMs(generationAtMs, { spanMs: RoomLimits.generationEvery.ms, nowMs })
  return left === 0 ? "interval" : null
}

const ended = (
  state: SnapshotState,
  event: { readonly requestId: number; readonly nowMs: number },
  stored: boolean
): Step => {
  const { underWay } = state
  if (underWay === null || underWay.requestId !== event.requestId) return [state, []]
  const answers = underWay.answers.map(({ saveId, wall }) =>
    SnapshotAction.Answer({ saveId, stored, wall })
  )
  const next: SnapshotState = {
    ...state,
    underWay: null,
    storedAtMs: event.nowMs,
    answeredAtMs: answers.length > 0 ? event.nowMs : state.answeredAtMs,
    // A snapshot that could not be stored is still a change, and is tried again after the usual span.
    changedAtMs: stored
      ? state.changedAtMs
      : (underWay.changedAtMs ?? state.changedAtMs ?? event.nowMs),
    generationAtMs: stored && underWay.generation !== null ? event.nowMs : state.generationAtMs
  }
  if (underWay.final) {
    const late = unanswerable(next.waiting)
    const over = { ...next, waiting: [], over: true }
    return [over, [...answers, ...late, SnapshotAction.DrainEnded({ stored })]]
  }
  const [last, actions] = proceed(next, event.nowMs)
  return [last, [...answers, ...actions]]
}
