import { type CapWall, wallText } from "@atrium/domain/meters/Caps"
import { ReplayLimits } from "@atrium/wire/replay/ReplayLimits"
import { Data } from "effect"

/** What is stored of a recording. */
export interface Stored {
  readonly replayId: string
  readonly bytes: number
  readonly chunks: number
  /** `null` = nothing is stored yet. */
  readonly expiresAtMs: number | null
}

/** The recording of a room, as the service knows it. Spec: Replay limits. */
export type RecordingState = Data.TaggedEnum<{
  /** `last` = the recording that has ended in this incarnation. */
  Idle: { readonly last: Stored | null }
  Recording: {
    readonly stored: Stored
    readonly ttlMs: number
    /** Numbers of chunks that the room has announced and that are not stored. The first one is being stored. */
    readonly waiting: ReadonlyArray<number>
    /** Callers that wait for its end. */
    readonly stops: ReadonlyArray<number>
  }
}>
export const RecordingState = Data.taggedEnum<RecordingState>()

export type RecordingEvent = Data.TaggedEnum<{
  /** Room code starts a recording under a new id; `wall` refuses new storage. */
  RecordAsked: {
    readonly caller: number
    readonly replayId: string
    readonly ttlMs: number
    readonly wall: CapWall | null
  }
  /** The room has a chunk of the recording. */
  ChunkReady: { readonly number: number; readonly wall: CapWall | null }
  ChunkStored: { readonly number: number; readonly bytes: number; readonly expiresAtMs: number }
  /** The chunk is not stored: it could not be read or stored, or would be too much. */
  ChunkFailed: { readonly number: number; readonly why: string }
  StopAsked: { readonly caller: number }
  /** The room cannot record any more. */
  Lost: {}
}>
export const RecordingEvent = Data.taggedEnum<RecordingEvent>()

export type RecordingAction = Data.TaggedEnum<{
  AnswerStarted: { readonly caller: number; readonly replayId: string }
  AnswerStopped: { readonly caller: number; readonly stored: Stored }
  Refuse: { readonly caller: number; readonly code: RecordingRefusal; readonly message: string }
  /** Takes the chunk from the room and stores it, if it is no larger than that. */
  StoreChunk: {
    readonly number: number
    readonly replayId: string
    readonly ttlMs: number
    readonly begun: boolean
    readonly bytesMax: number
  }
  /** The room is to forget the recording, and its log says why. */
  TellRoom: { readonly replayId: string; readonly why: string }
  /** No chunk is added to what is stored. */
  EndStored: { readonly replayId: string }
}>
export const RecordingAction = Data.taggedEnum<RecordingAction>()

/** Refusals of `record` and `stop`. */
export type RecordingRefusal = "E_RECORDING" | "E_CAP_REACHED" | "E_BAD_REQUEST" | "E_NOT_STORED"

type Step = readonly [RecordingState, ReadonlyArray<RecordingAction>]
type Recording = Data.TaggedEnum.Value<RecordingState, "Recording">
type Event<Tag extends RecordingEvent["_tag"]> = Data.TaggedEnum.Value<RecordingEvent, Tag>

/** A room without a recording. */
export const notRecording: RecordingState = RecordingState.Idle({ last: null })

/** The recording goes on in the next incarnation of the room. */
export const resumed = (stored: Stored, ttlMs: number): RecordingState =>
  RecordingState.Recording({ stored, ttlMs, waiting: [], stops: [] })

/** Total: every event has an answer in every state. */
export const step = (state: RecordingState, event: RecordingEvent): Step => {
  switch (event._tag) {
    case "RecordAsked":
      return recordAsked(state, event)
    case "ChunkReady":
      return state._tag === "Recording" ? chunkReady(state, event) : [state, []]
    case "ChunkStored":
      return chunkStored(state, event)
    case "ChunkFailed":
      return chunkFailed(state, event)
    case "StopAsked":
      return stopAsked(state, event.caller)
    case "Lost":
      return state._tag === "Recording" ? finish({ ...state, waiting: [] }, []) : [state, []]
  }
}

const recordAsked = (
  state: RecordingState,
  { caller, replayId, ttlMs, wall }: Event<"RecordAsked">
): Step => {
  if (state._tag === "Recording") {
    const message = "record: a recording of the room runs already"
    return [state, [RecordingAction.Refuse({ caller, code: "E_RECORDING", message })]]
  }
  if (wall !== null) {
    const message = wallText(wall)
    return [state, [RecordingAction.Refuse({ caller, code: "E_CAP_REACHED", message })]]
  }
  const stored: Stored = { replayId, bytes: 0, chunks: 0, expiresAtMs: null }
  return [
    RecordingState.Recording({ stored, ttlMs, waiting: [], stops: [] }),
    [RecordingAction.AnswerStarted({ caller, replayId })]
  ]
}

const chunkReady = (state: Recording, { number, wall }: Event<"ChunkReady">): Step => {
  if (wall !== null) return end(state, wallText(wall))
  if (state.waiting.length >= ReplayLimits.chunksWaiting.max) {
    return end(state, "its chunks cannot be stored as fast as they come")
  }
  const waiting = [...state.waiting, number]
  const next = RecordingState.Recording({ ...state, waiting })
  return waiting.length === 1 ? [next, [storeOf(next, number)]] : [next, []]
}

const storeOf = ({ stored, ttlMs }: Recording, number: number): RecordingAction => {
  const isFull = stored.chunks >= ReplayLimits.recordingChunks.max
  return RecordingAction.StoreChunk({
    number,
    replayId: stored.replayId,
    ttlMs,
    begun: stored.chunks > 0,
    bytesMax: isFull ? 0 : ReplayLimits.recordingBytes.max - stored.bytes
  })
}

const chunkStored = (
  state: RecordingState,
  { number, bytes, expiresAtMs }: Event<"ChunkStored">
): Step => {
  const more = (stored: Stored): Stored => ({
    ...stored,
    bytes: stored.bytes + bytes,
    chunks: stored.chunks + 1,
    expiresAtMs
  })
  // The recording ended while its chunk was on the way to the store.
  if (state._tag === "Idle") {
    return state.last === null ? [state, []] : [RecordingState.Idle({ last: more(state.last) }), []]
  }
  if (state.waiting[0] !== number) return [state, []]
  const next = RecordingState.Recording({
    ...state,
    stored: more(state.stored),
    waiting: state.waiting.slice(1)
  })
  const [following] = next.waiting
  if (following !== undefined) return [next, [storeOf(next, following)]]
  return next.stops.length > 0 ? finish(next, []) : [next, []]
}

const chunkFailed = (state: RecordingState, { number, why }: Event<"ChunkFailed">): Step =>
  state._tag === "Recording" && state.waiting[0] === number ? end(state, why) : [state, []]

const stopAsked = (state: RecordingState, caller: number): Step => {
  if (state._tag === "Recording") {
    const next = RecordingState.Recording({ ...state, stops: [...state.stops, caller] })
    return next.waiting.length > 0 ? [next, []] : finish(next, [])
  }
  if (state.last !== null) return [state, [answerOf(caller, state.last)]]
  const message = "stop: nothing of the room is recorded"
  return [state, [RecordingAction.Refuse({ caller, code: "E_BAD_REQUEST", message })]]
}

/** The recording ends, and room code did not ask for it. */
const end = (state: Recording, why: string): Step => {
  const { replayId } = state.stored
  return finish(state, [RecordingAction.TellRoom({ replayId, why })])
}

const finish = ({ stored, stops }: Recording, actions: ReadonlyArray<RecordingAction>): Step => [
  RecordingState.Idle({ last: stored }),
  [
    ...actions,
    RecordingAction.EndStored({ replayId: stored.replayId }),
    ...stops.map((caller) => answerOf(caller, stored))
  ]
]

const answerOf = (caller: number, stored: Stored): RecordingAction => {
  if (stored.expiresAtMs !== null) return RecordingAction.AnswerStopped({ caller, stored })
  const message = "stop: nothing of the recording could be stored"
  return RecordingAction.Refuse({ caller, code: "E_NOT_STORED", message })
}
