import type { Machines } from "@atrium/actors/cluster/Machines"
import type { ServerReach } from "@atrium/actors/cluster/ServerReach"
import type { ProcessPool } from "@atrium/actors/process/ProcessPool"
import type { AwakeRooms } from "@atrium/actors/rooms/AwakeRooms"
import type { MemoryFigures } from "@atrium/actors/servers/MemoryLook"
import type { RandomHex } from "@atrium/actors/store/Secrets"

import type { CallWatch } from "./CallWatch.ts"
import type { Place } from "./ClusterLayer.ts"
import type { LinkWires } from "./LinkWires.ts"
import type { MeterWatch } from "./MeterWatch.ts"
import type { Parts } from "./Parts.ts"
import type { RunnerLocks } from "./RunnerLocks.ts"

/** The surroundings of one runner's actors, which the world plays. */
export interface Surroundings extends Place {
  readonly parts: Parts
  readonly wires: LinkWires
  readonly locks: RunnerLocks
  /** It takes itself for the only runner. */
  readonly alone: boolean
  /** Its program is the next version, which understands the one before. */
  readonly isNext: boolean
  /** Its rooms store what migrations lead on. */
  readonly leads: boolean
  /** Its rooms record themselves. */
  readonly films: boolean
  readonly machines: (typeof Machines)["Service"]
  readonly processes: ProcessPool["Service"]
  readonly memory: (typeof MemoryFigures)["Service"]
  readonly randomHex: (typeof RandomHex)["Service"]
  readonly reach: (typeof ServerReach)["Service"]
  readonly meters: MeterWatch
  /** The reference of calls; `null` = the rooms of this world have none. */
  readonly calls: CallWatch | null
  /** The awake rooms of this runner, as the world watches them. */
  watched(rooms: AwakeRooms["Service"]): AwakeRooms["Service"]
  /** This runner is up. */
  up(): void
  /** A line of the log of this runner. */
  log(line: string): void
}
