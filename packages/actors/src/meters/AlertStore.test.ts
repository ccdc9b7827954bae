import { MemoryStores, TestStores } from "../store/testing/TestStores.ts"
import { alertStoreContract } from "./AlertStore.contract.ts"

alertStoreContract("on PostgreSQL", TestStores)
alertStoreContract("in memory", MemoryStores)
