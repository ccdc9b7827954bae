import type { CapWall } from "@atrium/domain/meters/Caps"
import { ReplayStoreLimits } from "@atrium/domain/replay/ReplayStoreLimits"
import { ReplayLimits } from "@atrium/wire/replay/ReplayLimits"
import { durationMs } from "@atrium/wire/time/Duration"
import { Deferred, Effect, Queue } from "effect"

import type { FootageListener } from "../process/RoomProcess.ts"
import { RandomHex } from "../store/Secrets.ts"
import { ReplayRefused, type StartedRecording, type StoppedRecording } from "./LiveReplays.ts"
import {
  notRecording,
  type RecordingAction,
  RecordingEvent,
  type RecordingState,
  resumed,
  step
} from "./RecordingMachine.ts"
import type { ReplayRow } from "./ReplayRows.ts"
import { ReplayStore } from "./ReplayStore.ts"
import { makeWallOf, notMade, type PackChunk, type Recorded, replayIdOf } from "./RoomClips.ts"

type Action<Tag extends RecordingAction["_tag"]> = Extract<RecordingAction, { readonly _tag: Tag }>
type Answer = Action<"AnswerStarted" | "AnswerStopped">

/** What happens to the recording: an event, or one that wants to know of the storage wall first. */
type Input = RecordingEvent | ((wall: CapWall | null) => RecordingEvent)

/** Events that may wait: chunks come every few seconds, and calls have a bound of their own. */
const mailboxCapacity = 256

/**
 * The recording of one incarnation of a room. One event is handled after the other, and one chunk is stored at a time.
 *
 * @param before the recording of the incarnation before, which goes on
 */
export const makeRecording = Effect.fnUntraced(function* (
  recorded: Recorded,
  packChunk: PackChunk,
  before: ReplayRow | null
) {
  const mailbox = yield* Queue.bounded<Input>(mailboxCapacity)
  const wallOf = yield* makeWallOf(recorded)
  const randomHex = yield* RandomHex
  const callers = new Callers()
  const lastChunk = yield* Deferred.make<void>()
  let lastNumber: number | null = null
  let state: RecordingState = stateAfter(before)

  // Beyond its bound a room floods. What it announces then is not stored.
  const offer = (input: Input): void => void Queue.offerUnsafe(mailbox, input)
  const perform = yield* makePerformer(recorded, packChunk, {
    callers,
    happened: (event) => {
      offer(event)
      if ("number" in event && event.number === lastNumber) {
        Deferred.doneUnsafe(lastChunk, Effect.void)
      }
    }
  })
  const take = Effect.fnUntraced(function* (input: Input) {
    const event = typeof input === "function" ? input(yield* wallOf) : input
    const [next, actions] = step(state, event)
    state = next
    yield* Effect.forEach(actions, perform, { discard: true })
  })
  yield* Queue.take(mailbox).pipe(Effect.flatMap(take), Effect.forever, Effect.forkScoped)

  const record = (ttl: string): Effect.Effect<StartedRecording, ReplayRefused> => {
    const given = { replayId: replayIdOf(randomHex), ttlMs: durationMs(ttl) ?? 0 }
    return callers
      .ask((caller) => offer((wall) => RecordingEvent.RecordAsked({ ...given, caller, wall })))
      .pipe(Effect.map(() => ({ replayId: given.replayId })))
  }
  const stop: Effect.Effect<StoppedRecording, ReplayRefused> = callers
    .ask((caller) => offer(RecordingEvent.StopAsked({ caller })))
    .pipe(Effect.flatMap(stoppedOf))
  return {
    record,
    stop,
    chunkReady: ({ number, last }: Parameters<FootageListener["chunkReady"]>[0]): void => {
      if (last) lastNumber = number
      // Nobody is asked for a wall on behalf of a chunk that nobody wants.
      if (state._tag === "Recording") {
        offer((wall) => RecordingEvent.ChunkReady({ number, wall }))
      }
    },
    lost: (): void => offer(RecordingEvent.Lost()),
    flushed: Effect.suspend(() =>
      state._tag === "Recording"
        ? Effect.ignore(Effect.timeout(Deferred.await(lastChunk), ReplayStoreLimits.lastChunk.ms))
        : Effect.void
    )
  }
})

const stateAfter = (before: ReplayRow | null): RecordingState => {
  if (before === null) return notRecording
  const { replayId, bytes, chunks, createdAtMs, expiresAtMs } = before
  return resumed({ replayId, bytes, chunks, expiresAtMs }, expiresAtMs - createdAtMs)
}

const stoppedOf = (answer: Answer): Effect.Effect<StoppedRecording, ReplayRefused> => {
  if (answer._tag === "AnswerStarted" || answer.stored.expiresAtMs === null) {
    return Effect.die(new Error("an answer to another question"))
  }
  const { replayId, bytes, expiresAtMs } = answer.stored
  return Effect.succeed({ replayId, bytes, expiresAtMs })
}

/** Calls of room code that wait for an answer of the machine. */
class Callers {
  readonly #waiting = new Map<number, Deferred.Deferred<Answer, ReplayRefused>>()
  #lastId = 0

  /** @param ask gets the number of the caller */
  ask(ask: (caller: number) => void): Effect.Effect<Answer, ReplayRefused> {
    return Effect.suspend(() => {
      this.#lastId += 1
      const caller = this.#lastId
      const answer = Deferred.makeUnsafe<Answer, ReplayRefused>()
      this.#waiting.set(caller, answer)
      ask(caller)
      return Deferred.await(answer).pipe(
        Effect.ensuring(Effect.sync(() => this.#waiting.delete(caller)))
      )
    })
  }

  answer(action: Answer | Action<"Refuse">): void {
    const waiting = this.#waiting.get(action.caller)
    if (waiting === undefined) return
    const outcome =
      action._tag === "Refuse"
        ? Effect.fail(new ReplayRefused({ code: action.code, message: action.message }))
        : Effect.succeed(action)
    Deferred.doneUnsafe(waiting, outcome)
  }
}

interface Outside {
  readonly callers: Callers
  /** What came of an action. */
  readonly happened: (event: RecordingEvent) => void
}

/** Performs what the machine orders. What takes time runs beside it, and comes back as an event. */
const makePerformer = Effect.fnUntraced(function* (
  recorded: Recorded,
  packChunk: PackChunk,
  { callers, happened }: Outside
) {
  const { key, order, footage } = recorded
  const store = yield* ReplayStore
  const scope = yield* Effect.scope

  const storeChunk = Effect.fn("Replay.storeChunk")(function* (action: Action<"StoreChunk">) {
    const { number, replayId, ttlMs, begun, bytesMax } = action
    const chunk = yield* packChunk({ number, recording: true }, null)
    if (chunk.bytes.length > bytesMax) {
      return yield* notMade(`it has the ${ReplayLimits.recordingBytes.max} bytes that it may have`)
    }
    const { type, version, epoch } = order
    const row = yield* store.append({ replayId, key, type, version, epoch, ttlMs, begun }, chunk)
    if (row === null) return yield* notMade("it was removed, or goes on elsewhere")
    const { expiresAtMs } = row
    return RecordingEvent.ChunkStored({ number, bytes: chunk.bytes.length, expiresAtMs })
  })

  const stored = (action: Action<"StoreChunk">) =>
    storeChunk(action).pipe(
      Effect.catchTag("ReplayRefused", ({ message }) => Effect.succeed(message)),
      Effect.catchCause((cause) =>
        Effect.as(
          Effect.logError("a chunk of a recording could not be stored", cause),
          "it could not be stored"
        )
      ),
      Effect.map((outcome) =>
        typeof outcome === "string"
          ? RecordingEvent.ChunkFailed({ number: action.number, why: outcome })
          : outcome
      ),
      Effect.map(happened)
    )

  return (action: RecordingAction): Effect.Effect<void> => {
    switch (action._tag) {
      case "AnswerStarted":
      case "AnswerStopped":
      case "Refuse":
        return Effect.sync(() => callers.answer(action))
      case "StoreChunk":
        return Effect.asVoid(Effect.forkIn(stored(action), scope))
      case "TellRoom":
        return Effect.sync(() => footage()?.recordingEnded(action.replayId, action.why))
      case "EndStored":
        return Effect.asVoid(Effect.forkIn(Effect.ignoreCause(store.end(action.replayId)), scope))
    }
  }
})
