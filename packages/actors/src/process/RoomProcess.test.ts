import { machinePort } from "../relay/RelayPort.ts"
import { MemoryProcesses } from "./MemoryProcesses.ts"
import { roomProcessContract } from "./RoomProcess.contract.ts"
import { makeRoomProcesses } from "./RoomProcesses.ts"

roomProcessContract("of their own", () =>
  makeRoomProcesses({ nodePath: process.execPath, warmSpares: 1 })
)
roomProcessContract(
  "in memory",
  async () => new MemoryProcesses({ ...machinePort, transitMs: () => 0 })
)
roomProcessContract("in memory, with frames that take their time", async () => {
  let frames = 0
  return new MemoryProcesses({ ...machinePort, transitMs: () => frames++ % 3 })
})
