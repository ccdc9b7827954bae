import { MemoryStores, TestStores } from "../store/testing/TestStores.ts"
import { meterStoreContract } from "./MeterStore.contract.ts"

meterStoreContract("on PostgreSQL", TestStores)
meterStoreContract("in memory", MemoryStores)
