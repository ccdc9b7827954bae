import { ReplayStoreLimits } from "@atrium/domain/replay/ReplayStoreLimits"
import type { ClipAnswer } from "@atrium/runtime/host/ReplayReports"
import { ReplayLimits } from "@atrium/wire/replay/ReplayLimits"
import { RoomRefusals } from "@atrium/wire/rooms/RoomRefusal"
import { Clock, Effect } from "effect"

import type { FootageListener } from "../process/RoomProcess.ts"
import type { RingSize } from "../servers/Pressure.ts"
import type { ClipOutcome } from "../servers/ServerProtocol.ts"
import { ChunkPulls } from "./ChunkPulls.ts"
import { type LiveReplay, LiveReplays } from "./LiveReplays.ts"
import { ReplayStore } from "./ReplayStore.ts"
import { type Recorded, makeClips, makePackChunk } from "./RoomClips.ts"
import { makeRecording } from "./RoomRecording.ts"

/** The footage of one incarnation, for the parts that start and end it. */
export interface IncarnationReplays {
  readonly listener: FootageListener
  readonly replays: LiveReplay
  /** The recording that goes on from the incarnation before. */
  readonly recording: string | null
  /** Waits for the last chunk of the recording, if one runs, and for no longer than that may take. */
  readonly flushed: Effect.Effect<void>
  /** How much memory the footage may take. */
  ring(): RingSize
  resize(ring: RingSize): void
}

/**
 * Clips and recordings of one incarnation of a room: takes chunks from its process one after the other, has them packed
 * and stores them.
 */
export const makeRoomReplays = Effect.fnUntraced(function* (recorded: Recorded) {
  const { key, order } = recorded
  const nowMs = yield* Clock.currentTimeMillis
  const before = yield* (yield* ReplayStore).resume(key, {
    version: order.version,
    epoch: order.epoch,
    sinceMs: nowMs - ReplayStoreLimits.recordingGap.ms
  })
  const pulls = new ChunkPulls(recorded.footage)
  const packChunk = yield* makePackChunk(recorded, pulls)
  const recording = yield* makeRecording(recorded, packChunk, before)
  const replays: LiveReplay = {
    clip: yield* makeClips(recorded, packChunk),
    record: recording.record,
    stop: recording.stop,
    makeClip: (options) => Effect.map(pulls.makeClip(options), answerOf)
  }
  yield* (yield* LiveReplays).add({ ...key, epoch: order.epoch }, replays)
  let ring: RingSize = "full"
  const made: IncarnationReplays = {
    listener: {
      chunk: (requestId, bytes) => pulls.chunk(requestId, bytes),
      clipMade: (requestId, answer) => pulls.clipMade(requestId, answer),
      chunkReady: recording.chunkReady,
      recordingLost: recording.lost
    },
    replays,
    recording: before?.replayId ?? null,
    flushed: recording.flushed,
    ring: () => ring,
    resize: (wanted) => {
      ring = wanted
      recorded.footage()?.resize(ringBytes[wanted])
    }
  }
  return made
})

const ringBytes = {
  full: ReplayLimits.ringBytes.max,
  shrunk: ReplayLimits.ringShrunkBytes.max
} as const

const unanswered: ClipOutcome = {
  code: RoomRefusals.callTimeout.code,
  message: "the room does not answer"
}

/** Room code could say anything: of a clip that is made, the store knows more. */
const answerOf = (answer: ClipAnswer | null): ClipOutcome => {
  if (answer === null) return unanswered
  if (answer._tag === "Made") return { clipId: answer.clip.clipId }
  return { code: answer.code, message: answer.message }
}
