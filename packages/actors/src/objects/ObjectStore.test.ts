import { MemoryStores, TestStores } from "../store/testing/TestStores.ts"
import { objectStoreContract } from "./ObjectStore.contract.ts"

objectStoreContract("on PostgreSQL", TestStores)
objectStoreContract("in memory", MemoryStores)
