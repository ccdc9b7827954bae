import { MemoryStores, TestStores } from "../store/testing/TestStores.ts"
import { boardStoreContract } from "./BoardStore.contract.ts"

boardStoreContract("on PostgreSQL", TestStores)
boardStoreContract("in memory", MemoryStores)
