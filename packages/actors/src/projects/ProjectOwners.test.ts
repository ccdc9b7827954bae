import { MemoryStores, TestStores } from "../store/testing/TestStores.ts"
import { projectOwnersContract } from "./ProjectOwners.contract.ts"

projectOwnersContract("on PostgreSQL", TestStores)
projectOwnersContract("in memory", MemoryStores)
