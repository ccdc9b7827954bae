import type { HeldFrames } from "./HeldFrames.ts"
import type { ProcessMemory } from "./ProcessMemory.ts"
import type { ProcessPace } from "./ProcessPace.ts"

/** The settings that all processes of a pool share. */
export interface HostSettings {
  readonly memoryMiB: number
  readonly pace: ProcessPace
  readonly memoryOf: (pid: number) => ProcessMemory | null
  /** Asked where the service itself may not look; `null` = nobody may. */
  readonly wasmBytesOf: () => Promise<number | null>
  readonly held: HeldFrames
}
