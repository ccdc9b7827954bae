import { roomProcessContract } from "../RoomProcess.contract.ts"
import type { RoomStart } from "../RoomProcess.ts"
import { makeRoomProcesses } from "../RoomProcesses.ts"

const bundles: Array<Uint8Array> = []
let rooms = 0

/** All rooms of one bundle share. */
const needsOf = ({ bundle }: RoomStart) => {
  if (!bundles.includes(bundle)) bundles.push(bundle)
  const shares = { room: `p/r${++rooms}`, kind: `p ${bundles.indexOf(bundle)} arena` }
  return { memoryMiB: 64, bundle, shares }
}

roomProcessContract(
  "that rooms share",
  () => makeRoomProcesses({ nodePath: process.execPath, warmSpares: 1 }),
  needsOf
)
