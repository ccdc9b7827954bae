import { MemoryStores, TestStores } from "../store/testing/TestStores.ts"
import { roomStoreContract } from "./RoomStore.contract.ts"

roomStoreContract("on PostgreSQL", TestStores)
roomStoreContract("in memory", MemoryStores)
