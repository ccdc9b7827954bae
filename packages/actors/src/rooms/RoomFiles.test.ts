import { MemoryStores, TestStores } from "../store/testing/TestStores.ts"
import { roomFilesContract } from "./RoomFiles.contract.ts"

roomFilesContract("on PostgreSQL", TestStores)
roomFilesContract("in memory", MemoryStores)
