import { LogLimits } from "@atrium/domain/logs/LogLimits"
import { KiB } from "@atrium/wire/limits/Limit"

import type { BootSource } from "./BootSource.ts"
import type { Walls } from "./launcher/Walls.ts"
import { type Command, walledCommand } from "./WalledCommand.ts"

/** Its heap; the rest of its memory are the bytes of the map, and Node itself. */
const HeapMiB = 192
/** Behind rooms, yet far from standing still beside them. */
const Niceness = 5

interface MapperCommandFor {
  readonly uid: number | null
  readonly walls: Walls
}

/** The command line of the process that maps stacks: a room's walls, and less memory. */
export const mapperCommand = (
  nodePath: string,
  boot: Pick<BootSource, "mapperCode" | "vmDataKiB">,
  { uid, walls }: MapperCommandFor
): Command =>
  walledCommand({
    nodePath,
    code: boot.mapperCode,
    options: { niceness: Niceness, originChars: LogLimits.stackOriginChars.max },
    heapMiB: HeapMiB,
    flags: [],
    dataKiB: boot.vmDataKiB === null ? null : boot.vmDataKiB + LogLimits.stackMapMemory.max / KiB,
    uid,
    walls
  })
