import { MemoryStores, TestStores } from "../store/testing/TestStores.ts"
import { roomListsContract } from "./RoomLists.contract.ts"

roomListsContract("on PostgreSQL", TestStores)
roomListsContract("in memory", MemoryStores)
