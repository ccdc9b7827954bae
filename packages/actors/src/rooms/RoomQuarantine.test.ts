import { MemoryStores, TestStores } from "../store/testing/TestStores.ts"
import { roomQuarantineContract } from "./RoomQuarantine.contract.ts"

roomQuarantineContract("on PostgreSQL", TestStores)
roomQuarantineContract("in memory", MemoryStores)
