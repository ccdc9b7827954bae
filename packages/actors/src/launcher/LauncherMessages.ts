/** What the service asks of the launcher. It names rooms, never programs: the launcher runs nothing else. */
export type LauncherOrder =
  /** Answered by `ready` or `failed`. */
  | { readonly order: "hello" }
  | {
      readonly order: "start"
      readonly id: number
      readonly memoryMiB: number
      readonly isDev: boolean
    }
  | { readonly order: "kill"; readonly id: number }
  /** Answered by `weighed`. */
  | { readonly order: "weigh"; readonly id: number }

/** The service's ends of a room's pipes. */
export const PipeNames = ["frames", "stdout", "stderr"] as const
export type PipeName = (typeof PipeNames)[number]

/** What the process that maps stacks is started with: the service starts it, as it runs no tenant's code. */
export interface MapperNeeds {
  readonly mapperCode: string
  /** `null` = `/proc` does not tell of memory, and the kernel does not limit it. */
  readonly vmDataKiB: number | null
  readonly uid: number | null
}

/** What the launcher tells the service. */
export type LauncherWord =
  | {
      readonly word: "ready"
      readonly mapper: MapperNeeds
      /** The kernel ends rooms with the launcher. */
      readonly endsWithRooms: boolean
      readonly notices: ReadonlyArray<string>
    }
  /** It cannot start rooms at all. */
  | { readonly word: "failed"; readonly message: string }
  /** Comes with the handle. */
  | { readonly word: "pipe"; readonly id: number; readonly name: PipeName }
  /** All pipes have been handed over: the process goes on when its socket says so. */
  | { readonly word: "started"; readonly id: number; readonly pid: number }
  | { readonly word: "notStarted"; readonly id: number; readonly why: string }
  | {
      readonly word: "exited"
      readonly id: number
      readonly code: number | null
      readonly signal: string | null
    }
  /** Bytes of WebAssembly memory; `null` = nobody may know. */
  | { readonly word: "weighed"; readonly id: number; readonly wasmBytes: number | null }

/** The service's first line on a room's socket: the launcher has no pipe of the room any more. */
export const GoLine = "go\n"

/** Set for a service that the launcher has started: its parent is the launcher. */
export const LaunchedVariable = "ATRIUM_LAUNCHED"
