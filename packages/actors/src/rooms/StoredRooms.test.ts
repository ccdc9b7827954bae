import { MemoryStores, TestStores } from "../store/testing/TestStores.ts"
import { storedRoomsContract } from "./StoredRooms.contract.ts"

storedRoomsContract("on PostgreSQL", TestStores)
storedRoomsContract("in memory", MemoryStores)
