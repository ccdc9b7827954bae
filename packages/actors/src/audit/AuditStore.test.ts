import { MemoryStores, TestStores } from "../store/testing/TestStores.ts"
import { auditStoreContract } from "./AuditStore.contract.ts"

auditStoreContract("on PostgreSQL", TestStores)
auditStoreContract("in memory", MemoryStores)
