import { promisify } from "node:util"
import { zstdDecompress } from "node:zlib"

import { ReplayStoreLimits } from "@atrium/domain/replay/ReplayStoreLimits"
import { NotReady } from "@atrium/domain/shared/Refusal"
import { ReplayLimits } from "@atrium/wire/replay/ReplayLimits"
import { Context, Effect, Layer } from "effect"

import { TurnQueue } from "../http/TurnQueue.ts"

const decompress = promisify(zstdDecompress)

/** Decompresses chunks for callers that do not accept zstd: on another thread, and some at a time. */
export class PlainChunks extends Context.Service<
  PlainChunks,
  {
    of(projectId: string, bytes: Uint8Array): Effect.Effect<Uint8Array, NotReady>
  }
>()("@atrium/api/replay/PlainChunks") {
  static readonly layer = Layer.sync(PlainChunks, () => {
    const { unpacksAtOnce, unpacksWaiting, unpackWait } = ReplayStoreLimits
    const queue = new TurnQueue({
      places: unpacksAtOnce.max,
      ofProject: unpacksAtOnce.max,
      waiting: unpacksWaiting.max,
      waitingOfProject: unpacksWaiting.max,
      waitMs: unpackWait.ms,
      busy: new NotReady({ message: "chunks: others are being decompressed; try again" })
    })
    const maxOutputLength = ReplayLimits.replayChunkBytes.max
    return {
      of: (projectId, bytes) =>
        queue.run(
          projectId,
          Effect.promise(() => decompress(bytes, { maxOutputLength }))
        )
    }
  })
}
