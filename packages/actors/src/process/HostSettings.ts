import type { HeldFrames } from "./HeldFrames.ts"
import type { MappedBytes, ProcessMemory } from "./ProcessMemory.ts"
import type { ProcessPace } from "./ProcessPace.ts"

/** The settings that all processes of a pool share. */
export interface HostSettings {
  readonly memoryMiB: number
  /** Its room has a physics world; absent = it has none. */
  readonly physics?: boolean
  readonly pace: ProcessPace
  readonly memoryOf: (pid: number) => ProcessMemory | null
  /** Asked where the service itself may not look; `null` = nobody may. */
  readonly mappedBytesOf: () => Promise<MappedBytes | null>
  readonly held: HeldFrames
}

/** The settings of a host whose room shares its process: the memory of that is not the room's alone. */
export interface SharedSettings extends Pick<HostSettings, "memoryMiB" | "pace" | "held"> {
  /** The room's part of the memory of the process. */
  readonly sharedBytes: () => number
}
