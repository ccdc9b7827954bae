import type { MediaSettings } from "@atrium/voice/process/MediaMessages"
import { Context, Effect, Layer } from "effect"

import { ProcessPool } from "../process/ProcessPool.ts"
import { MediaLink } from "./MediaLink.ts"
import { RunnerMedia } from "./RunnerMedia.ts"

/** How the media of this runner are to be carried. */
export class RunnerMediaSettings extends Context.Service<RunnerMediaSettings, MediaSettings>()(
  "@atrium/actors/voice/RunnerMediaSettings"
) {}

/** The media of calls in a process that the launcher starts at the first call. */
export const mediaLinkLayer = Layer.effect(
  RunnerMedia,
  Effect.gen(function* () {
    const { startMedia } = yield* ProcessPool
    const settings = yield* RunnerMediaSettings
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const link = yield* Effect.acquireRelease(
      Effect.sync(
        () =>
          new MediaLink({
            launch: startMedia,
            settings,
            nowMs: () => performance.now(),
            notice: (line) => run(Effect.logWarning(line))
          })
      ),
      (opened) => Effect.sync(() => opened.close())
    )
    return link.media
  })
)
