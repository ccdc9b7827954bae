import { MemoryStores, TestStores } from "../store/testing/TestStores.ts"
import { alarmStoreContract } from "./AlarmStore.contract.ts"

alarmStoreContract("on PostgreSQL", TestStores)
alarmStoreContract("in memory", MemoryStores)
