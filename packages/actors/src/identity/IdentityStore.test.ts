import { MemoryStores, TestStores } from "../store/testing/TestStores.ts"
import { identityStoreContract } from "./IdentityStore.contract.ts"

identityStoreContract("on PostgreSQL", TestStores)
identityStoreContract("in memory", MemoryStores)
