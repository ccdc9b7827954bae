import { Context, Effect, Layer } from "effect"

import type { Description } from "./DescribeBundle.ts"
import type { RoomProcess, RoomProcessListener } from "./RoomProcess.ts"
import { makeRoomProcesses, type RoomNeeds } from "./RoomProcesses.ts"

/** Processes that wait for a room's code: one, as it takes 40 ms to make the next. */
const warmSpares = 1

/** The room processes of this runner, as a service: all of them end with it. */
export class ProcessPool extends Context.Service<
  ProcessPool,
  {
    take(listener: RoomProcessListener, room: RoomNeeds): RoomProcess
    describe(bundle: Uint8Array): Effect.Effect<Description>
    /** Puts the sources of a bundle into a log line that may be a stack. Never rejects. */
    mapStack(bundle: Uint8Array, line: string): string | Promise<string>
  }
>()("@atrium/actors/process/ProcessPool") {
  static readonly layer = Layer.effect(
    ProcessPool,
    Effect.gen(function* () {
      const run = Effect.runForkWith(yield* Effect.context<never>())
      const processes = yield* Effect.acquireRelease(
        Effect.sync(() =>
          makeRoomProcesses({
            nodePath: process.execPath,
            warmSpares,
            onNotice: (line) => run(Effect.logWarning(line))
          })
        ),
        (pool) => Effect.promise(() => pool.close())
      )
      return {
        take: (listener, room) => processes.take(listener, room),
        describe: (bundle) => Effect.promise(() => processes.describe(bundle)),
        mapStack: (bundle, line) => processes.mapStack(bundle, line)
      }
    })
  )
}
