import { MemoryStores, TestStores } from "../store/testing/TestStores.ts"
import { capWallsContract } from "./CapWalls.contract.ts"

capWallsContract("on PostgreSQL", TestStores)
capWallsContract("in memory", MemoryStores)
