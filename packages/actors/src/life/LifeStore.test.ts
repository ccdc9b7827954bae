import { MemoryStores, TestStores } from "../store/testing/TestStores.ts"
import { lifeStoreContract } from "./LifeStore.contract.ts"

lifeStoreContract("on PostgreSQL", TestStores)
lifeStoreContract("in memory", MemoryStores)
