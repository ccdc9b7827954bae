import { MemoryStores, TestStores } from "../store/testing/TestStores.ts"
import { mailStoreContract } from "./MailStore.contract.ts"

mailStoreContract("on PostgreSQL", TestStores)
mailStoreContract("in memory", MemoryStores)
