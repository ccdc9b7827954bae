import { MemoryStores, TestStores } from "../store/testing/TestStores.ts"
import { roomSweepsContract } from "./RoomSweeps.contract.ts"

roomSweepsContract("on PostgreSQL", TestStores)
roomSweepsContract("in memory", MemoryStores)
