import type { MappedBytes } from "../ProcessMemory.ts"

/**
 * A process that the service asks for. An order names a kind of process, never a program: the
 * launcher runs nothing else.
 */
export type StartOrder =
  | {
      readonly order: "start"
      readonly id: number
      readonly memoryMiB: number
      readonly isDev: boolean
      /** Its room has a physics world. Absent = it has none. */
      readonly physics?: boolean
      /** So many rooms share it at most. Absent = it is for one. */
      readonly rooms?: number
      /** The kernel schedules the process behind rooms. Absent = it is a room. */
      readonly gives?: boolean
    }
  /** The process that maps stacks. */
  | { readonly order: "startMapper"; readonly id: number }
  /** The process that carries the media of voice calls. */
  | { readonly order: "startMedia"; readonly id: number }

/** What the service asks of the launcher. */
export type LauncherOrder =
  /** Answered by `ready` or `failed`. */
  | { readonly order: "hello" }
  /** Answered by `pipe`, for each of its pipes, and `started`, or by `notStarted`. */
  | StartOrder
  | { readonly order: "kill"; readonly id: number }
  /** Answered by `weighed`. */
  | { readonly order: "weigh"; readonly id: number; readonly withCode: boolean }

/** The service's ends of a process's pipes. */
export const PipeNames = ["frames", "stdout", "stderr"] as const
export type PipeName = (typeof PipeNames)[number]

/** What the launcher tells the service. */
export type LauncherWord =
  | {
      readonly word: "ready"
      /** The system tells of a process's memory and limits it. */
      readonly measures: boolean
      /** The kernel ends every process with the launcher. */
      readonly endsWithRooms: boolean
      readonly notices: ReadonlyArray<string>
    }
  /** It cannot start any process. */
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
  /** `null` = nobody may know. */
  | { readonly word: "weighed"; readonly id: number; readonly mapped: MappedBytes | null }

/** The service's first line on a process's socket: the launcher has none of its pipes any more. */
export const GoLine = "go\n"

/** Set for a service that the launcher has started: its parent is the launcher. */
export const LaunchedVariable = "ATRIUM_LAUNCHED"
