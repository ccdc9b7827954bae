import { Layer } from "effect"

import { PlayerData } from "../accounts/PlayerData.ts"
import { MemoryStores, TestStores } from "../store/testing/TestStores.ts"
import { boardStoreContract } from "./BoardStore.contract.ts"
import { boardTables } from "./BoardTables.ts"

boardStoreContract("on PostgreSQL", TestStores)
boardStoreContract(
  "in memory",
  Layer.provideMerge(PlayerData.layerMemory(boardTables.players ?? []), MemoryStores)
)
