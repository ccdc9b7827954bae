import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"

/** Why a room process ended: the values of `cause` in log and metric. docs/isolation.md lists them. */
export const ExitCauses = [
  /** The service put the room away. */
  "stopped",
  /** Its code threw where nothing catches, or the process failed in another way. */
  "crashed",
  /** Over the memory ceiling of its class. */
  "memory",
  /** The largest of a server that was near its memory limit. */
  "pressure",
  /** It does not answer, or does not read. */
  "hung",
  /** More frames than a room may send. */
  "flood",
  /** It broke the protocol between service and room. */
  "protocol",
  /** Its state is too large to be stored. */
  "snapshotSize",
  /** Somebody outside of the service ended it. */
  "killed",
  /** The process that it shared with other rooms failed: nobody knows yet whose doing that was. */
  "neighbour",
  /** The machine gave it no process: no descriptors, memory or process numbers were left. */
  "notStarted",
  /** It was not ready in time. */
  "startTimeout",
  /** Its code cannot run this room. */
  "code"
] as const

export type ExitCause = (typeof ExitCauses)[number]

export interface Exit {
  readonly cause: ExitCause
  readonly detail: string
}

/** How the operating system saw a process end, and the last that it wrote to stderr. */
export interface ProcessEnd {
  readonly code: number | null
  readonly signal: string | null
  readonly errorTail: string
  /** Why there never was a process; absent = there was one. */
  readonly notStarted?: string
  /** Why nobody knows how it ended; absent = it is known. */
  readonly lost?: string
  /** What the service knows of the end; absent = what the system tells is all. */
  readonly exit?: Exit
}

const MemoryTexts =
  /out of memory|\bOOM\b|allocation failed|bad_alloc|could not allocate|Committing semi space failed/i

/**
 * Reads the cause from what is left of a process that nobody asked to end. V8 ends a process that
 * cannot get memory by a trap or an abort and says so on stderr: a best effort.
 */
export const causeOf = (end: ProcessEnd): Exit => {
  const { code, signal, errorTail, notStarted, lost, exit } = end
  if (exit !== undefined) return exit
  if (notStarted !== undefined) return { cause: "notStarted", detail: notStarted }
  if (lost !== undefined) return { cause: "killed", detail: lost }
  const how = signal === null ? `exit code ${code ?? "unknown"}` : `signal ${signal}`
  const fatal = errorTail.split("\n").find(isFatal)
  if (MemoryTexts.test(errorTail)) return { cause: "memory", detail: fatal ?? how }
  if (signal === "SIGKILL" || signal === "SIGTERM") {
    return { cause: "killed", detail: `${how} from outside the service` }
  }
  return { cause: "crashed", detail: fatal === undefined ? how : `${how}: ${fatal}` }
}

/**
 * The end of a room, by what the service ended it for and by how its process ended. A room that gives no answer need not
 * be the one that holds up the process which it shares.
 */
export const exitOf = (known: Exit | null, end: ProcessEnd): Exit => {
  const isOther = known?.cause === "hung" && end.exit?.cause === "neighbour"
  return known === null || isOther ? causeOf(end) : known
}

const isFatal = (line: string): boolean =>
  line.startsWith("FATAL ERROR") || line.startsWith("# Fatal") || ErrorName.test(firstWords(line))

/** The name of an error, and its code in brackets. */
const ErrorName = /^[A-Za-z]*Error(?: \[\w+\])?$/

/** The text before the first colon: names of errors are short. */
const firstWords = (line: string): string => line.slice(0, Math.max(0, line.indexOf(":")))

/** Why a process ends that sent more than a snapshot may be. */
export const tooLarge = (what: string, bytes: number): string =>
  `a ${what} of ${bytes} bytes, over ${RuntimeLimits.snapshotBytes.max}`
