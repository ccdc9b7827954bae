import { ReplayLimits } from "@atrium/wire/replay/ReplayLimits"
import { Schema } from "effect"

import { roomCall } from "../rooms/RoomCall.ts"
import { ReplayStoreLimits } from "./ReplayStoreLimits.ts"
import { ReplayTtl } from "./ReplayTtl.ts"

const Clip = Schema.Struct({
  clipId: Schema.String,
  url: Schema.String,
  expiresAt: Schema.String
})

/**
 * A room has footage for a clip: the numbers of its chunks, in order. The service takes them one after the other; the
 * clip begins at `fromMs`, within the first of them or before it. Spec: Replay limits.
 */
export const clipCall = roomCall({
  payload: Schema.Struct({
    ttl: ReplayTtl,
    fromMs: Schema.Finite,
    chunks: Schema.Array(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))).check(
      Schema.isMinLength(1),
      Schema.isMaxLength(ReplayStoreLimits.clipChunks.max)
    )
  }),
  answer: Clip,
  // The room's process keeps the rate by its own word: the service counts for itself.
  rate: { ...ReplayLimits.clips, burst: ReplayLimits.clipsUnderWay.max }
})

/** A recording begins: the service takes the chunks that the room announces from here on. */
export const recordCall = roomCall({
  payload: Schema.Struct({ ttl: ReplayTtl }),
  answer: Schema.Struct({ replayId: Schema.String, url: Schema.String }),
  rate: ReplayLimits.recordings
})

/** The recording ends when all that the room has announced of it is stored. */
export const stopCall = roomCall({
  payload: Schema.Record(Schema.String, Schema.Never),
  answer: Schema.Struct({
    replayId: Schema.String,
    bytes: Schema.Int,
    expiresAt: Schema.String
  })
})
