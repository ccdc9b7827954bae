import { MemoryStores, TestStores } from "../store/testing/TestStores.ts"
import { rehearsalStoreContract } from "./RehearsalStore.contract.ts"

rehearsalStoreContract("on PostgreSQL", TestStores)
rehearsalStoreContract("in memory", MemoryStores)
