import { Layer } from "effect"

import { RoomFiles } from "../room/RoomFiles.ts"
import { RoomSaves } from "../room/RoomSaves.ts"
import { AccountStore } from "./AccountStore.ts"
import { AlarmStore } from "./AlarmStore.ts"
import { ApiKeyStore } from "./ApiKeyStore.ts"
import { AuditStore } from "./AuditStore.ts"
import { CapStore } from "./CapStore.ts"
import { CapWalls } from "./CapWalls.ts"
import { DeletedProjects } from "./DeletedProjects.ts"
import { DeploymentStore } from "./DeploymentStore.ts"
import { DeviceLoginStore } from "./DeviceLoginStore.ts"
import { DevLeaseStore } from "./DevLeaseStore.ts"
import { InvitationStore } from "./InvitationStore.ts"
import { JwtSecretStore } from "./JwtSecretStore.ts"
import { LoginStore } from "./LoginStore.ts"
import { MeterStore } from "./MeterStore.ts"
import { ObjectStore } from "./ObjectStore.ts"
import { PlayerStore } from "./PlayerStore.ts"
import { ProjectOwners } from "./ProjectOwners.ts"
import { ProjectStore } from "./ProjectStore.ts"
import { RoomStore } from "./RoomStore.ts"
import { Secrets } from "./Secrets.ts"

/**
 * Every store of the service, on a database that has its tables.
 *
 * @param masterKey 32 bytes that outlive restarts and are the same on every runner
 */
export const storesLayer = (masterKey: Uint8Array) =>
  Layer.mergeAll(
    JwtSecretStore.layerSql,
    DevLeaseStore.layerSql,
    DeploymentStore.layer,
    RoomFiles.layer,
    RoomSaves.layer,
    DeviceLoginStore.layerSql,
    InvitationStore.layerSql
  ).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        AccountStore.layerSql,
        LoginStore.layerSql,
        ProjectStore.layerSql,
        ProjectOwners.layerSql,
        ApiKeyStore.layerSql,
        ObjectStore.layerSql,
        RoomStore.layerSql,
        AlarmStore.layerSql,
        AuditStore.layerSql,
        CapStore.layerSql,
        CapWalls.layerSql,
        MeterStore.layerSql,
        DeletedProjects.layerSql,
        PlayerStore.layerSql,
        Secrets.layer(masterKey)
      )
    )
  )
