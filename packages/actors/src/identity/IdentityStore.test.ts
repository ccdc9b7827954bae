import { Layer } from "effect"

import { PlayerData } from "../accounts/PlayerData.ts"
import { allTables } from "../store/testing/AllTables.ts"
import { MemoryStores, TestStores } from "../store/testing/TestStores.ts"
import { identityStoreContract } from "./IdentityStore.contract.ts"

const players = allTables.flatMap((tables) => tables.players ?? [])

identityStoreContract("on PostgreSQL", TestStores)
identityStoreContract(
  "in memory",
  Layer.provideMerge(PlayerData.layerMemory(players), MemoryStores)
)
