import { Layer } from "effect"

import { S3Stores } from "../objects/testing/S3Stores.ts"
import { MemoryStores, TestStores } from "../store/testing/TestStores.ts"
import { counted, storedBytesContract } from "./StoredBytes.contract.ts"
import { StoredBytes } from "./StoredBytes.ts"

const onSql = StoredBytes.layerSql(counted)
const inMemory = StoredBytes.layerMemory(counted)

storedBytesContract("on PostgreSQL", Layer.provideMerge(onSql, TestStores))
storedBytesContract("on PostgreSQL and an S3", Layer.provideMerge(onSql, S3Stores))
storedBytesContract("in memory", Layer.provideMerge(inMemory, MemoryStores))
