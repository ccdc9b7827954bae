import { MemoryStores, TestStores } from "../store/testing/TestStores.ts"
import { devLeaseStoreContract } from "./DevLeaseStore.contract.ts"

devLeaseStoreContract("on PostgreSQL", TestStores)
devLeaseStoreContract("in memory", MemoryStores)
