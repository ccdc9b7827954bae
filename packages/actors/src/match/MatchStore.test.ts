import { MemoryStores, TestStores } from "../store/testing/TestStores.ts"
import { matchStoreContract } from "./MatchStore.contract.ts"

matchStoreContract("on PostgreSQL", TestStores)
matchStoreContract("in memory", MemoryStores)
