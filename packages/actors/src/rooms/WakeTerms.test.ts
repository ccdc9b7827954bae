import { MemoryStores, TestStores } from "../store/testing/TestStores.ts"
import { wakeTermsContract } from "./WakeTerms.contract.ts"

wakeTermsContract("on PostgreSQL", TestStores)
wakeTermsContract("in memory", MemoryStores)
