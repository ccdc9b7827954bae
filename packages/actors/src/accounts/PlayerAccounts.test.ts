import { Layer } from "effect"

import { allTables } from "../store/testing/AllTables.ts"
import { MemoryStores, TestStores } from "../store/testing/TestStores.ts"
import { playerAccountsContract } from "./PlayerAccounts.contract.ts"
import { PlayerAccounts } from "./PlayerAccounts.ts"
import { PlayerData } from "./PlayerData.ts"

const players = allTables.flatMap((tables) => tables.players ?? [])

playerAccountsContract("on PostgreSQL", TestStores)
playerAccountsContract(
  "in memory",
  PlayerAccounts.layerMemory.pipe(
    Layer.provideMerge(PlayerData.layerMemory(players)),
    Layer.provideMerge(MemoryStores)
  )
)
