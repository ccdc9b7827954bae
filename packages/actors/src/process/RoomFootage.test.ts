import { bundleProgram } from "@atrium/sdk/bundle"

import { machinePort } from "../relay/RelayPort.ts"
import { MemoryProcesses } from "./MemoryProcesses.ts"
import { packerEntry } from "./ProcessPool.ts"
import { roomFootageContract } from "./RoomFootage.contract.ts"
import { makeRoomProcesses } from "./RoomProcesses.ts"

roomFootageContract("of its own process", () =>
  makeRoomProcesses({
    nodePath: process.execPath,
    warmSpares: 1,
    packerCode: () => bundleProgram(packerEntry())
  })
)
roomFootageContract(
  "in memory",
  async () => new MemoryProcesses({ ...machinePort, transitMs: () => 0 })
)
