import { Layer } from "effect"

import { MemoryStores, TestStores } from "../store/testing/TestStores.ts"
import { playerAccountsContract } from "./PlayerAccounts.contract.ts"
import { PlayerAccounts } from "./PlayerAccounts.ts"

playerAccountsContract("on PostgreSQL", TestStores)
playerAccountsContract("in memory", Layer.provideMerge(PlayerAccounts.layerMemory, MemoryStores))
