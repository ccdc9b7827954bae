import { MigrationLimits } from "@atrium/domain/migrations/MigrationLimits"
import { Context, Effect, Latch } from "effect"
import { Singleton } from "effect/cluster"

import { logFailure } from "../store/StoreFailure.ts"
import { RehearsalStore } from "./RehearsalStore.ts"
import { runRehearsal } from "./RunRehearsal.ts"

/** Opened when a rehearsal begins on this runner: it is looked for at once. */
export const RehearsalBell = Context.Reference("@atrium/actors/migrations/RehearsalBell", {
  defaultValue: () => Latch.makeUnsafe(false)
})

/**
 * Runs rehearsals, once per cluster and one after the other: each for a while, then the next one. After a crash the next
 * runner goes on where the last one has stored that it was. Source: C-711.
 */
export const Rehearsals = Singleton.make(
  "Rehearsals",
  Effect.gen(function* () {
    const store = yield* RehearsalStore
    const bell = yield* RehearsalBell
    const turns = Effect.gen(function* () {
      bell.closeUnsafe()
      const running = yield* store.running
      const went = yield* Effect.forEach(running, (row) =>
        runRehearsal(row).pipe(
          Effect.annotateLogs({ project: row.projectId, rehearsal: row.rehearsalId }),
          logFailure("a rehearsal was interrupted, and goes on later", Effect.logWarning)
        )
      )
      return went.includes(true)
    })
    const look = Effect.flatMap(logFailure("rehearsals could not be looked for")(turns), (goesOn) =>
      goesOn === true ? Effect.void : rests(bell)
    )
    return yield* Effect.forever(look)
  })
)

const rests = (bell: Latch.Latch) =>
  Effect.timeoutOption(bell.await, MigrationLimits.rehearsalLook.ms)
