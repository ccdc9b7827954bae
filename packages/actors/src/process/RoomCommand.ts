import { Limits, MiB } from "@atrium/domain/Limits"
import {
  FrameHeaderBytes,
  FromRoom,
  LoadMode,
  LogLevels,
  ToRoom
} from "@atrium/sdk/room/HostFrames"

import { NodeDescriptor, nodeBehind, openingOf, type Walls, wallArgs } from "../launcher/Walls.ts"
import type { BootSource } from "./BootSource.ts"

/** A program and its arguments. */
export interface Command {
  readonly program: string
  readonly args: ReadonlyArray<string>
}

/** The name that a bundle has in stacks. */
export const BundleFileName = "room.bundle.js"

/** What V8 reserves beyond its first VmData before room code runs: threads, code, the first heap. */
const ReserveMiB = 67
const SlackMiB = Limits.roomMemorySlack.max / MiB
const WasmPagesPerMiB = 16

/**
 * Heap of V8 in MiB: all that a room may have, and its garbage; on a developer's machine a fixed one,
 * whatever the ceiling of the class. The ceiling holds either way. Spec: Room budget per server.
 */
const heapMiB = ({ memoryMiB, isDev }: RoomCommandFor): number =>
  isDev === true ? Limits.devHeap.max / MiB : 2 * memoryMiB + SlackMiB

/** What a room's process is started for. */
interface RoomCommandFor {
  readonly memoryMiB: number
  readonly uid: number | null
  readonly walls: Walls
  /** It begins at once, and not when the service says so. */
  readonly begins?: boolean
  /** Its project is `dev`. */
  readonly isDev?: boolean
}

type RoomBoot = Pick<BootSource, "code" | "vmDataKiB">

/** The most data that a room process may map, in KiB; `null` where it cannot be limited. */
const dataLimitKiB = (boot: RoomBoot, memoryMiB: number): number | null =>
  boot.vmDataKiB === null
    ? null
    : boot.vmDataKiB + (ReserveMiB + 2 * memoryMiB + SlackMiB) * (MiB / 1024)

/**
 * The command line of one room process. No file may be read, and on Linux the kernel bounds its
 * memory. Source: room-isolation.md, "Exact flags".
 */
export const roomCommand = (nodePath: string, boot: RoomBoot, room: RoomCommandFor): Command => {
  const { memoryMiB, uid, walls } = room
  const options = {
    // Where setpriv has changed it, there is nothing left to do, nor a way to.
    uid: walls.setpriv === null ? uid : null,
    nodeDescriptor: walls.opensNode ? NodeDescriptor : null,
    fileName: BundleFileName,
    logLineUnits: Limits.logLineUnits.max,
    headerBytes: FrameHeaderBytes,
    load: ToRoom.load,
    describeMode: LoadMode.describe,
    booted: FromRoom.booted,
    failed: FromRoom.failed,
    log: FromRoom.log,
    logLevels: LogLevels
  }
  const node = [
    nodeBehind(walls, nodePath),
    "--permission",
    "--no-warnings",
    "--disable-proto=delete",
    "--disable-sigusr1",
    "--no-addons",
    "--expose-gc",
    `--max-old-space-size=${heapMiB(room)}`,
    "--max-semi-space-size=4",
    `--wasm-max-mem-pages=${memoryMiB * WasmPagesPerMiB}`,
    "--input-type=module",
    "--eval",
    boot.code,
    JSON.stringify(options)
  ]
  const kiB = dataLimitKiB(boot, memoryMiB)
  const script = [
    // Nothing is written before the service holds the other ends; without a service nothing begins.
    room.begins === true ? "" : "read -r go <&3 || exit 0",
    // Shells export some variables of their own: a room's environment is empty.
    "unset PWD OLDPWD SHLVL _ go",
    `ulimit -c 0; ulimit -n ${Limits.roomDescriptors.max}`,
    kiB === null ? "" : `ulimit -d ${kiB}`,
    openingOf(walls),
    'exec "$@"'
  ]
  const shell = ["-c", script.filter((line) => line !== "").join("\n"), nodePath]
  return { program: "/bin/sh", args: [...shell, ...wallArgs(walls, uid), ...node] }
}
