import { S3Stores } from "../objects/testing/S3Stores.ts"
import { MemoryStores, TestStores } from "../store/testing/TestStores.ts"
import { storedBytesContract } from "./StoredBytes.contract.ts"

storedBytesContract("on PostgreSQL", TestStores)
storedBytesContract("on PostgreSQL and an S3", S3Stores)
storedBytesContract("in memory", MemoryStores)
