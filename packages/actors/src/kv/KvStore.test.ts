import { Layer } from "effect"

import { PlayerData } from "../accounts/PlayerData.ts"
import { MemoryStores, TestStores } from "../store/testing/TestStores.ts"
import { kvStoreContract } from "./KvStore.contract.ts"
import { kvTables } from "./KvTables.ts"

const erasing = PlayerData.layerMemory(kvTables.players ?? [])

kvStoreContract("on PostgreSQL", TestStores)
kvStoreContract("in memory", Layer.provideMerge(erasing, MemoryStores))
