import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import {
  FrameHeaderBytes,
  FromRoom,
  LoadMode,
  LogLevels,
  ToRoom
} from "@atrium/runtime/host/HostFrames"
import { MiB } from "@atrium/wire/limits/Limit"
import { RoomClasses } from "@atrium/wire/rooms/RoomClass"
import { TextLimits } from "@atrium/wire/text/TextLimits"

import type { BootSource } from "./BootSource.ts"
import type { Walls } from "./launcher/Walls.ts"
import { type Command, walledCommand } from "./WalledCommand.ts"

/** The name that a bundle has in stacks. */
export const BundleFileName = "room.bundle.js"

/** Memory that V8 reserves beyond its first VmData before room code runs: threads, code, the first heap. */
const ReserveMiB = 67
const SlackMiB = RoomProcessLimits.roomMemorySlack.max / MiB
const WasmPagesPerMiB = 16

/**
 * Heap of V8 in MiB: all that a room may have, and its garbage; on a developer's machine a fixed one,
 * whatever the ceiling of the class. The ceiling holds either way. Spec: Room budget per server.
 */
const heapMiB = (room: RoomCommandFor): number => {
  if (room.isDev !== true) return takenMiB(room)
  const devMiB = RoomProcessLimits.devHeap.max / MiB
  return room.rooms === undefined ? devMiB : Math.max(devMiB, takenMiB(room))
}

/** The most that a process may take: a room's twice its ceiling, for its garbage; a shared one has that of the others. */
const takenMiB = ({ memoryMiB, rooms = 2 }: RoomCommandFor): number => rooms * memoryMiB + SlackMiB

/** The room that a process is started for. */
interface RoomCommandFor {
  readonly memoryMiB: number
  readonly uid: number | null
  readonly walls: Walls
  /** It begins at once, and not when the service says so. */
  readonly begins?: boolean
  /** Its project is `dev`. */
  readonly isDev?: boolean
  /** It has a physics world: WebAssembly runs in it. */
  readonly physics?: boolean
  /** So many rooms share it at most; absent = it is for one. */
  readonly rooms?: number
  /** It runs behind rooms: it is none itself. */
  readonly gives?: boolean
}

type RoomBoot = Pick<BootSource, "code" | "vmDataKiB">

/** The most data that a room process may map, in KiB; `null` where it cannot be limited. */
const dataLimitKiB = (boot: RoomBoot, room: RoomCommandFor): number | null => {
  const codeMiB = room.physics === true ? RoomProcessLimits.physicsCodeBytes.max / MiB : 0
  return boot.vmDataKiB === null
    ? null
    : boot.vmDataKiB + (ReserveMiB + takenMiB(room) + codeMiB) * (MiB / 1024)
}

/**
 * Flags for the WebAssembly of a room with physics. Of a standard room V8's better compiler alone would take more than the
 * ceiling: 140 MiB for Rapier. Its faster one makes code that takes 1.6 times as long for a step. Source: C-865.
 */
const physicsFlags = ({ memoryMiB, physics }: RoomCommandFor): ReadonlyArray<string> =>
  physics === true && memoryMiB <= RoomClasses.standard.memoryMiB ? ["--liftoff-only"] : []

/** The command line of one room process. */
export const roomCommand = (nodePath: string, boot: RoomBoot, room: RoomCommandFor): Command => {
  const { memoryMiB, uid, walls, begins, gives } = room
  const options = {
    fileName: BundleFileName,
    logLineUnits: TextLimits.logLineUnits.max,
    headerBytes: FrameHeaderBytes,
    load: ToRoom.load,
    describeMode: LoadMode.describe,
    tellMode: LoadMode.tell,
    cachedMode: LoadMode.cached,
    sharedMode: LoadMode.shared,
    shared: {
      toRoom: ToRoom.room,
      open: ToRoom.open,
      close: ToRoom.close,
      weigh: ToRoom.weigh,
      fromRoom: FromRoom.room,
      ended: FromRoom.ended,
      weighed: FromRoom.weighed
    },
    booted: FromRoom.booted,
    failed: FromRoom.failed,
    compiled: FromRoom.compiled,
    cacheBytesMax: RoomProcessLimits.codeCache.max,
    log: FromRoom.log,
    logLevels: LogLevels
  }
  return walledCommand({
    nodePath,
    code: boot.code,
    options,
    heapMiB: heapMiB(room),
    flags: [
      "--expose-gc",
      `--wasm-max-mem-pages=${memoryMiB * WasmPagesPerMiB}`,
      ...physicsFlags(room)
    ],
    dataKiB: dataLimitKiB(boot, room),
    uid,
    walls,
    begins: begins === true,
    gives: gives === true
  })
}
