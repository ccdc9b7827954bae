import { fileURLToPath } from "node:url"

import { MigrationLimits } from "@atrium/domain/migrations/MigrationLimits"
import type { PackAnswer } from "@atrium/runtime/replay/packer/PackerFrames"
import { Context, Data, Deferred, Effect, Layer, type Scope } from "effect"

import type { Description } from "./DescribeBundle.ts"
import type { Launch } from "./launcher/LauncherLink.ts"
import type { Migrated, MigrateProcess, ToMigrate } from "./MigrateProcess.ts"
import { noPackerCode, type PackJob } from "./Packer.ts"
import type { RoomNeeds } from "./RoomNeeds.ts"
import type { RoomProcess, RoomProcessListener } from "./RoomProcess.ts"
import { makeRoomProcesses } from "./RoomProcesses.ts"
import { SendWindows } from "./SendWindow.ts"

/** Processes that wait for a room's code: one, as it takes 40 ms to make the next. */
const warmSpares = 1

/** The program that packs chunks of replays, once it is asked for. */
export const PackerCode = Context.Reference<() => Promise<Uint8Array>>(
  "@atrium/actors/process/PackerCode",
  { defaultValue: () => noPackerCode }
)

/** Its first file. */
export const packerEntry = (): string =>
  fileURLToPath(import.meta.resolve("@atrium/runtime/replay/packer/packer"))

/** The launcher that started this service is gone: no room can run any more. */
export class LauncherLost extends Data.TaggedError("LauncherLost")<{ readonly message: string }> {}

/** A process that leads stored state on; one change at a time. */
export interface Migrating {
  readonly isOver: () => boolean
  migrate(asked: ToMigrate): Effect.Effect<Migrated>
}

const migratingBy = (migrator: MigrateProcess): Migrating => ({
  isOver: () => migrator.isOver,
  migrate: (asked) =>
    Effect.promise(() => migrator.migrate(asked, MigrationLimits.stateMigration.ms))
})

/** The room processes of this runner, as a service: all of them end with it. */
export class ProcessPool extends Context.Service<
  ProcessPool,
  {
    take(listener: RoomProcessListener, room: RoomNeeds): RoomProcess
    describe(bundle: Uint8Array): Effect.Effect<Description>
    /** A process for the migrations of a bundle; it ends with the scope. */
    migrator(bundle: Uint8Array, memoryMiB: number): Effect.Effect<Migrating, never, Scope.Scope>
    /** Puts the sources of a bundle into a log line that may be a stack. Never rejects. */
    mapStack(bundle: Uint8Array, line: string): string | Promise<string>
    /** Asks for the process that carries the media of voice calls. @returns how to end it */
    readonly startMedia: Launch
    /** Makes a chunk of a room's footage one that can be stored. */
    pack(job: PackJob): Effect.Effect<PackAnswer>
    /** Fails when no room can run any more. */
    readonly lost: Effect.Effect<never, LauncherLost>
  }
>()("@atrium/actors/process/ProcessPool") {
  /** @param launched the launcher has started this process, and is not to be started by it */
  static readonly layer = (launched: boolean) =>
    Layer.effect(
      ProcessPool,
      Effect.gen(function* () {
        const run = Effect.runForkWith(yield* Effect.context<never>())
        const sendWindows = yield* SendWindows
        const packerCode = yield* PackerCode
        const lost = yield* Deferred.make<never, LauncherLost>()
        const message = "The launcher of room processes has ended, and every room with it."
        const processes = yield* Effect.acquireRelease(
          Effect.promise(() =>
            makeRoomProcesses({
              nodePath: process.execPath,
              warmSpares,
              launched,
              sendWindows,
              packerCode,
              onLost: () => Deferred.doneUnsafe(lost, Effect.fail(new LauncherLost({ message }))),
              onNotice: (line) => run(Effect.logWarning(line))
            })
          ),
          (pool) => Effect.promise(() => pool.close())
        )
        return {
          lost: Deferred.await(lost),
          take: (listener, room) => processes.take(listener, room),
          describe: (bundle) => Effect.promise(() => processes.describe(bundle)),
          migrator: (bundle, memoryMiB) =>
            Effect.map(
              Effect.acquireRelease(
                Effect.sync(() => processes.migrator(bundle, memoryMiB)),
                (migrator) => Effect.sync(() => migrator.close())
              ),
              migratingBy
            ),
          mapStack: (bundle, line) => processes.mapStack(bundle, line),
          startMedia: processes.startMedia,
          pack: (job) => Effect.promise(() => processes.pack(job))
        }
      })
    )
}
