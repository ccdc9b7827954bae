import { MemoryStores, TestStores } from "../store/testing/TestStores.ts"
import { capStoreContract } from "./CapStore.contract.ts"

capStoreContract("on PostgreSQL", TestStores)
capStoreContract("in memory", MemoryStores)
