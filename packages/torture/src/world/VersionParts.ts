import type { DeploymentStore } from "@atrium/actors/deployments/DeploymentStore"
import type { Migrator } from "@atrium/actors/migrations/Migrator"
import type { RoomFiles } from "@atrium/actors/rooms/RoomFiles"

/** What leads stored state over the versions of a world: the product's parts, or ones that are wrong on purpose. */
export interface VersionParts {
  readonly migrator: (migrator: Migrator["Service"]) => Migrator["Service"]
  readonly deployments: (store: DeploymentStore["Service"]) => DeploymentStore["Service"]
  readonly files: (files: RoomFiles["Service"]) => RoomFiles["Service"]
}

export const rightVersions: VersionParts = {
  migrator: (migrator) => migrator,
  deployments: (store) => store,
  files: (files) => files
}
