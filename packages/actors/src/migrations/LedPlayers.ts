import type { RoomKey } from "@atrium/domain/shared/Ids"
import { CloseCodes } from "@atrium/wire/frames/CloseCode"
import { RoomClasses } from "@atrium/wire/rooms/RoomClass"
import { cutLogLine } from "@atrium/wire/text/LogLine"
import { serviceMessage } from "@atrium/wire/text/ServiceMessage"
import { Context, Data, Effect, Layer } from "effect"

import { DeploymentStore } from "../deployments/DeploymentStore.ts"
import { RoomLogs } from "../logs/RoomLogs.ts"
import { mappedStack } from "../process/MappedStack.ts"
import { ProcessPool } from "../process/ProcessPool.ts"
import type { StoredPlayer } from "../rooms/PlayerStore.ts"
import { type MigrationFailed, Migrator } from "./Migrator.ts"
import { playersPath } from "./StatePath.ts"

/** The player's stored fields are not for this room, so the player is not let in, and they stay as they are. */
export class PlayerRefused extends Data.TaggedError("PlayerRefused")<{
  readonly code: string
  readonly message: string
}> {}

/** The room that a player enters, as far as stored fields matter. */
export interface EnteredRoom {
  readonly version: number
  /** The version since which players are stored as the room reads and writes them. */
  readonly playersSince: number
}

/** Stored fields of players, led on to the version of the room that they enter. Source: C-707. */
export class LedPlayers extends Context.Service<
  LedPlayers,
  {
    fields(
      key: RoomKey,
      stored: StoredPlayer | null,
      room: EnteredRoom
    ): Effect.Effect<Uint8Array | null, PlayerRefused>
  }
>()("@atrium/actors/migrations/LedPlayers") {
  static readonly layer = Layer.effect(
    LedPlayers,
    Effect.gen(function* () {
      const deployments = yield* DeploymentStore
      const migrator = yield* Migrator
      const logs = yield* RoomLogs
      const processes = yield* ProcessPool

      const failed = Effect.fnUntraced(function* (
        key: RoomKey,
        { message, stack, bundle }: MigrationFailed
      ) {
        const mapped = yield* Effect.provideService(
          mappedStack(bundle, cutLogLine(stack)),
          ProcessPool,
          processes
        )
        const text = `a player was not let in, as the migration of its fields failed: ${message}`
        logs.say(key, "error", mapped === "" ? text : `${text}\n${mapped}`)
        return yield* new PlayerRefused({
          code: CloseCodes.refused.name,
          message: "the migration of the player's fields failed; the room's log says why"
        })
      })

      const fields = Effect.fnUntraced(function* (
        key: RoomKey,
        stored: StoredPlayer | null,
        { version, playersSince }: EnteredRoom
      ) {
        if (stored === null || stored.since === playersSince) return stored?.fields ?? null
        if (stored.since > playersSince) {
          // A room that plays on with its old code would take back what the player has since.
          const message = `the player was in version ${stored.since}, and the room is on ${version}`
          const { name: code } = CloseCodes.refused
          return yield* new PlayerRefused({ code, message: serviceMessage(message) })
        }
        const steps = yield* deployments.steps(key.projectId, version)
        const hops = playersPath(steps, { from: stored.since, to: version })
        if (hops.length === 0) return stored.fields
        const led = yield* migrator
          .lead({
            projectId: key.projectId,
            to: version,
            stored: null,
            room: null,
            players: hops,
            bytes: stored.fields,
            memoryMiB: RoomClasses.standard.memoryMiB
          })
          .pipe(
            Effect.catchTags({
              MigrationFailed: (failure) => failed(key, failure),
              MigratorAway: ({ message }) =>
                Effect.andThen(
                  Effect.logWarning(`no process for a player's migration: ${message}`),
                  new PlayerRefused({ code: CloseCodes.waking.name, message: "try again" })
                )
            })
          )
        return led.bytes
      })

      return { fields }
    })
  )
}
