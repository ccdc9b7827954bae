import { MemoryStores, TestStores } from "../store/testing/TestStores.ts"
import { keyedRoomsContract } from "./KeyedRooms.contract.ts"

keyedRoomsContract("on PostgreSQL", TestStores)
keyedRoomsContract("in memory", MemoryStores)
