import { MemoryStores, TestStores } from "../store/testing/TestStores.ts"
import { objectStoreContract } from "./ObjectStore.contract.ts"
import { S3Stores } from "./testing/S3Stores.ts"

objectStoreContract("on PostgreSQL", TestStores)
objectStoreContract("on PostgreSQL and an S3", S3Stores)
objectStoreContract("in memory", MemoryStores)
