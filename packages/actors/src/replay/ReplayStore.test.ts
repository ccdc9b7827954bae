import { MemoryStores, TestStores } from "../store/testing/TestStores.ts"
import { replayStoreContract } from "./ReplayStore.contract.ts"

replayStoreContract("on PostgreSQL", TestStores)
replayStoreContract("in memory", MemoryStores)
