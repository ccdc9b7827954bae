import { MemoryStores, TestStores } from "../store/testing/TestStores.ts"
import { fleetStoreContract } from "./FleetStore.contract.ts"

fleetStoreContract("on PostgreSQL", TestStores)
fleetStoreContract("in memory", MemoryStores)
