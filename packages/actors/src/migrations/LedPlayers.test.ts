import { ProjectId, RoomId } from "@atrium/domain/shared/Ids"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"

import { DeploymentStore } from "../deployments/DeploymentStore.ts"
import { RoomLogs } from "../logs/RoomLogs.ts"
import { ProcessPool } from "../process/ProcessPool.ts"
import { noRooms } from "../process/testing/NoRooms.ts"
import { LedPlayers } from "./LedPlayers.ts"
import { type LedOn, MigrationFailed, Migrator, MigratorAway, type ToLead } from "./Migrator.ts"
import type { StepOfVersion } from "./VersionStep.ts"

const key = { projectId: ProjectId.make("p_0123456789abcdef"), roomId: RoomId.make("hall") }
const fields = Uint8Array.of(1)

/** Versions 3 and 5 change the fields of players; version 4 does not. */
const steps: ReadonlyArray<StepOfVersion> = [3, 5].map((version) => {
  const players = [{ from: version - 1, to: version }]
  return { version, step: { strategy: "migrate", discards: false, rooms: {}, players } }
})

const led: Array<Pick<ToLead, "to" | "players">> = []
const lines: string[] = []

const withMigrator = (outcome: Effect.Effect<LedOn, MigrationFailed | MigratorAway>) =>
  LedPlayers.layer.pipe(
    Layer.provide(
      Layer.mergeAll(
        Layer.mock(DeploymentStore, {
          steps: (_, upTo) => Effect.succeed(steps.filter(({ version }) => version <= upTo))
        }),
        Layer.mock(Migrator, {
          lead: ({ to, players }) => {
            led.push({ to, players })
            return outcome
          }
        }),
        Layer.mock(RoomLogs, {
          say: (_, level, line) => void lines.push(`${level} ${line}`),
          dropped: () => {}
        }),
        Layer.mock(ProcessPool, {
          ...noRooms,
          mapStack: (_, line) => line.replace("bundle", "file")
        })
      )
    )
  )

const enters = (since: number, room: { readonly version: number; readonly playersSince: number }) =>
  Effect.flatMap(LedPlayers, (players) => players.fields(key, { fields, since }, room))

it.effect("[C-707] a player's fields go through each version that changes them", () =>
  Effect.gen(function* () {
    expect(yield* enters(1, { version: 6, playersSince: 5 })).toEqual(Uint8Array.of(2))
    const [third, fifth] = steps.map(({ step }) => step.players)
    expect(led.splice(0)).toEqual([{ to: 6, players: [...(third ?? []), ...(fifth ?? [])] }])
    yield* enters(3, { version: 6, playersSince: 5 })
    expect(led.splice(0)).toEqual([{ to: 6, players: fifth }])
    expect(yield* enters(3, { version: 4, playersSince: 3 })).toBe(fields)
    const players = yield* LedPlayers
    expect(yield* players.fields(key, null, { version: 6, playersSince: 5 })).toBeNull()
    expect(led).toEqual([])
  }).pipe(Effect.provide(withMigrator(Effect.succeed({ bytes: Uint8Array.of(2), schema: null }))))
)

it.effect("[C-707] a player who was in a newer version is not let into an older room", () =>
  Effect.gen(function* () {
    expect(yield* Effect.flip(enters(5, { version: 4, playersSince: 3 }))).toMatchObject({
      code: "E_JOIN_REFUSED",
      message: "the player was in version 5, and the room is on 4"
    })
    expect(led).toEqual([])
  }).pipe(Effect.provide(withMigrator(Effect.never)))
)

const failure = new MigrationFailed({
  message: "no wins",
  stack: "Error: no wins\n    at bundle:1:2",
  bundle: Uint8Array.of()
})
it.effect(
  "[C-707] a player whose migration fails is not let in, and the room's log says where",
  () =>
    Effect.gen(function* () {
      expect(yield* Effect.flip(enters(4, { version: 5, playersSince: 5 }))).toMatchObject({
        code: "E_JOIN_REFUSED",
        message: "the migration of the player's fields failed; the room's log says why"
      })
      const text = "error a player was not let in, as the migration of its fields failed: no wins"
      expect(lines).toEqual([`${text}\nError: no wins\n    at file:1:2`])
    }).pipe(Effect.provide(withMigrator(Effect.fail(failure))))
)

it.effect("[C-706] where the machine has no process for it, the player may try again", () =>
  Effect.gen(function* () {
    expect(yield* Effect.flip(enters(4, { version: 5, playersSince: 5 }))).toMatchObject({
      code: "E_TENANT_WAKING",
      message: "try again"
    })
  }).pipe(Effect.provide(withMigrator(Effect.fail(new MigratorAway({ message: "killed" })))))
)
