import { MemoryStores, TestStores } from "../store/testing/TestStores.ts"
import { logStoreContract } from "./LogStore.contract.ts"

logStoreContract("on PostgreSQL", TestStores)
logStoreContract("in memory", MemoryStores)
