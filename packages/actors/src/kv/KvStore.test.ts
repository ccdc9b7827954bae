import { MemoryStores, TestStores } from "../store/testing/TestStores.ts"
import { kvStoreContract } from "./KvStore.contract.ts"

kvStoreContract("on PostgreSQL", TestStores)
kvStoreContract("in memory", MemoryStores)
