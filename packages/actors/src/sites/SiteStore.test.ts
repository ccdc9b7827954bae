import { S3Stores } from "../objects/testing/S3Stores.ts"
import { MemoryStores, TestStores } from "../store/testing/TestStores.ts"
import { siteStoreContract } from "./SiteStore.contract.ts"

siteStoreContract("on PostgreSQL", TestStores)
siteStoreContract("on PostgreSQL and an S3", S3Stores)
siteStoreContract("in memory", MemoryStores)
