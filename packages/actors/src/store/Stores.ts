import { Layer } from "effect"

import { PlayerAccounts } from "../accounts/PlayerAccounts.ts"
import { PlayerData } from "../accounts/PlayerData.ts"
import { AuditStore } from "../audit/AuditStore.ts"
import { BoardStore } from "../boards/BoardStore.ts"
import { DeploymentStore } from "../deployments/DeploymentStore.ts"
import { DevLeaseStore } from "../deployments/DevLeaseStore.ts"
import { FleetStore } from "../fleet/FleetStore.ts"
import { IdentityStore } from "../identity/IdentityStore.ts"
import { JwtSecretStore } from "../identity/JwtSecretStore.ts"
import { ApiKeyStore } from "../keys/ApiKeyStore.ts"
import { KvStore } from "../kv/KvStore.ts"
import { LifeStore } from "../life/LifeStore.ts"
import { AccountStore } from "../logins/AccountStore.ts"
import { DeviceLoginStore } from "../logins/DeviceLoginStore.ts"
import { InvitationStore } from "../logins/InvitationStore.ts"
import { LoginStore } from "../logins/LoginStore.ts"
import { LogStore } from "../logs/LogStore.ts"
import { MailStore } from "../mail/MailStore.ts"
import { MatchStore } from "../match/MatchStore.ts"
import { AlertStore } from "../meters/AlertStore.ts"
import { CapStore } from "../meters/CapStore.ts"
import { CapWalls } from "../meters/CapWalls.ts"
import { MeterStore } from "../meters/MeterStore.ts"
import { StoredBytes } from "../meters/StoredBytes.ts"
import { RehearsalStore } from "../migrations/RehearsalStore.ts"
import { ObjectMoves } from "../objects/ObjectMoves.ts"
import { ObjectStore } from "../objects/ObjectStore.ts"
import { DeletedProjects } from "../projects/DeletedProjects.ts"
import { ProjectOwners } from "../projects/ProjectOwners.ts"
import { ProjectStore } from "../projects/ProjectStore.ts"
import { RatingStore } from "../ratings/RatingStore.ts"
import { ReplayStore } from "../replay/ReplayStore.ts"
import { AlarmStore } from "../rooms/AlarmStore.ts"
import { KeyedRooms } from "../rooms/KeyedRooms.ts"
import { PlayerStore } from "../rooms/PlayerStore.ts"
import { RoomFiles } from "../rooms/RoomFiles.ts"
import { RoomObjects } from "../rooms/RoomObjects.ts"
import { RoomStore } from "../rooms/RoomStore.ts"
import { StoredRooms } from "../rooms/StoredRooms.ts"
import { WakeTerms } from "../rooms/WakeTerms.ts"
import { RoomSaves } from "../saves/RoomSaves.ts"
import { SiteStore } from "../sites/SiteStore.ts"
import type { NounTables } from "./NounTables.ts"
import { Secrets } from "./Secrets.ts"

/**
 * Every store of the service, on a database that has its tables.
 *
 * @param masterKey 32 bytes that outlive restarts and are the same on every runner
 * @param nouns the tables of every noun: what is stored of a project, and what is kept of a player
 */
export const storesLayer = (masterKey: Uint8Array, nouns: ReadonlyArray<NounTables>) => {
  const purge = nouns.flatMap((tables) => tables.purge)
  return Layer.mergeAll(
    JwtSecretStore.layerSql,
    DevLeaseStore.layerSql,
    DeploymentStore.layerSql,
    SiteStore.layerSql,
    FleetStore.layerSql,
    RoomFiles.layer,
    RoomSaves.layer,
    DeviceLoginStore.layerSql,
    InvitationStore.layerSql,
    RatingStore.layerSql,
    RehearsalStore.layerSql,
    ReplayStore.layerSql,
    PlayerAccounts.layerSql
  ).pipe(
    Layer.provideMerge(RoomObjects.layerSql),
    Layer.provideMerge(
      Layer.mergeAll(
        AccountStore.layerSql,
        LoginStore.layerSql,
        ProjectStore.layerSql,
        ProjectOwners.layerSql,
        ApiKeyStore.layerSql,
        KvStore.layerSql,
        ObjectStore.layerSql,
        ObjectMoves.layerSql,
        RoomStore.layerSql,
        StoredRooms.layerSql,
        KeyedRooms.layerSql,
        WakeTerms.layerSql,
        AlarmStore.layerSql,
        AuditStore.layerSql,
        BoardStore.layerSql,
        LifeStore.layerSql,
        LogStore.layerSql,
        MailStore.layerSql,
        MatchStore.layerSql,
        AlertStore.layerSql,
        CapStore.layerSql,
        CapWalls.layerSql,
        MeterStore.layerSql,
        StoredBytes.layerSql(purge),
        DeletedProjects.layerSql(purge),
        PlayerData.layerSql(nouns.flatMap(({ players = [] }) => players)),
        PlayerStore.layerSql,
        IdentityStore.layerSql,
        Secrets.layer(masterKey)
      )
    )
  )
}

/**
 * Every store of the service on one database in memory, but `DeletedProjects`, which wants a list of
 * what to purge. Each passes the contract that its SQL layer passes (`*.contract.ts`).
 */
export const memoryStores = Layer.mergeAll(
  DeploymentStore.layerMemory,
  JwtSecretStore.layerMemory,
  RoomFiles.layer,
  RoomSaves.layer,
  RatingStore.layerMemory,
  RehearsalStore.layerMemory,
  ReplayStore.layerMemory
).pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      ObjectStore.layerMemory,
      RoomObjects.layerMemory,
      RoomStore.layerMemory,
      StoredRooms.layerMemory,
      KeyedRooms.layerMemory,
      WakeTerms.layerMemory,
      AlarmStore.layerMemory,
      PlayerStore.layerMemory,
      IdentityStore.layerMemory,
      ProjectStore.layerMemory,
      ProjectOwners.layerMemory,
      ApiKeyStore.layerMemory,
      KvStore.layerMemory,
      AuditStore.layerMemory,
      BoardStore.layerMemory,
      LifeStore.layerMemory,
      LogStore.layerMemory,
      DevLeaseStore.layerMemory,
      MailStore.layerMemory,
      MatchStore.layerMemory,
      AlertStore.layerMemory,
      CapStore.layerMemory,
      CapWalls.layerMemory,
      MeterStore.layerMemory,
      AccountStore.layerMemory,
      LoginStore.layerMemory,
      DeviceLoginStore.layerMemory,
      InvitationStore.layerMemory,
      SiteStore.layerMemory,
      FleetStore.layerMemory,
      Secrets.layerMemory
    )
  )
)
