import { DeploymentStore } from "@atrium/actors/deployments/DeploymentStore"
import { OldVersions } from "@atrium/actors/deployments/OldVersions"
import { Migrator } from "@atrium/actors/migrations/Migrator"
import { Rehearsals } from "@atrium/actors/migrations/Rehearsals"
import { ReplayStore } from "@atrium/actors/replay/ReplayStore"
import { RoomFiles } from "@atrium/actors/rooms/RoomFiles"
import { memoryStores } from "@atrium/actors/store/Stores"
import { Effect, Layer } from "effect"

import type { Surroundings } from "./Surroundings.ts"

/** The stores of a runner. */
export const storesLayer = ({ parts, leads, films }: Surroundings) => {
  if (films) {
    return Layer.effect(ReplayStore, Effect.map(ReplayStore, parts.games.replays)).pipe(
      Layer.provideMerge(memoryStores)
    )
  }
  if (!leads) return memoryStores
  return Layer.mergeAll(
    Layer.effect(DeploymentStore, Effect.map(DeploymentStore, parts.versions.deployments)),
    Layer.effect(RoomFiles, Effect.map(RoomFiles, parts.versions.files))
  ).pipe(Layer.provideMerge(memoryStores))
}

/** The migrator of a runner: the product's, or one that is wrong on purpose. */
export const migratorLayer = ({ parts, leads }: Surroundings) =>
  leads
    ? Layer.effect(Migrator, Effect.map(Migrator, parts.versions.migrator)).pipe(
        Layer.provide(Migrator.layer)
      )
    : Migrator.layer

/** Moves rooms of older versions, and rehearses migrations in worlds that have some. */
export const movingLayer = ({ leads }: Surroundings) =>
  leads ? Layer.merge(OldVersions, Rehearsals) : OldVersions
