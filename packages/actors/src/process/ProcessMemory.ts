import { closeSync, openSync, readFileSync, readSync } from "node:fs"

import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import { MiB } from "@atrium/wire/limits/Limit"

/** The memory of a process as the system tells it, in bytes. */
export interface ProcessMemory {
  /** Anonymous memory that is really there: heap, buffers, WebAssembly, native. */
  readonly anonBytes: number
  /** Memory that may be written, whether or not it was touched. */
  readonly dataBytes: number
  /** Address space, reserved or used. */
  readonly sizeBytes: number
}

/** Reads it from the text of `/proc/<pid>/status`; `null` when it is not all there. */
export const parseStatus = (status: string): ProcessMemory | null => {
  const bytes = (name: string): number =>
    Number(new RegExp(`^${name}:\\s*(\\d+) kB$`, "m").exec(status)?.[1]) * 1024
  const memory = {
    anonBytes: bytes("RssAnon"),
    dataBytes: bytes("VmData"),
    sizeBytes: bytes("VmSize")
  }
  return Object.values(memory).every(Number.isFinite) ? memory : null
}

/**
 * Reads it from the text of `/proc/<pid>/statm`; `null` when it is not all there. The data size has the main thread's
 * stack in it, which `/proc/<pid>/status` tells apart. Source: `proc_pid_statm(5)`.
 */
export const parseStatm = (statm: string, pageBytes: number): ProcessMemory | null => {
  const [size = Number.NaN, resident = Number.NaN, shared = Number.NaN, , , data = Number.NaN] =
    statm.split(" ").map(Number)
  const memory = {
    anonBytes: (resident - shared) * pageBytes,
    dataBytes: data * pageBytes,
    sizeBytes: size * pageBytes
  }
  return Object.values(memory).every(Number.isFinite) ? memory : null
}

/**
 * Bytes of a page; `null` where the line of numbers says something else than the long text does, or nothing.
 *
 * @param status the texts of one process, read one right after the other
 */
export const pageBytesOf = (status: string, statm: string): number | null => {
  const told = parseStatus(status)
  const counted = parseStatm(statm, 1)
  if (told === null || counted === null) return null
  // The size may have grown in between, by far less than a half.
  const pageBytes = 2 ** Math.round(Math.log2(told.sizeBytes / counted.sizeBytes))
  const agrees = (name: "anonBytes" | "dataBytes"): boolean =>
    Math.abs(counted[name] * pageBytes - told[name]) <= told[name] / 4 + SlackBytes
  return agrees("anonBytes") && agrees("dataBytes") ? pageBytes : null
}

/** The stack, and what the two texts count a moment apart. */
const SlackBytes = 4 * MiB

let pageBytes: number | null | undefined

const pageBytesHere = (): number | null =>
  pageBytesOf(procTextOf(process.pid, "status") ?? "", procTextOf(process.pid, "statm") ?? "")

/**
 * `null` where `/proc` does not tell, or the process is gone. Each room is looked at ten times a second, and the line of
 * numbers costs less than the long text. Source: C-941.
 */
export const memoryOf = (pid: number): ProcessMemory | null => {
  if (pageBytes === undefined) pageBytes = pageBytesHere()
  if (pageBytes === null) return parseStatus(procTextOf(pid, "status") ?? "")
  return parseStatm(procTextOf(pid, "statm") ?? "", pageBytes)
}

/** Every WebAssembly memory lies at the start of a reservation of this much or more. */
export const WasmReservationBytes = 4 * 1024 ** 3

/**
 * Bytes of all WebAssembly memories, from the text of `/proc/<pid>/maps` or `smaps`: V8 counts them nowhere.
 * Each is the writable start of a reservation that is far larger than anything else.
 */
export const parseWasmBytes = (maps: string): number => {
  let bytes = 0
  let before = { endAt: -1, writableBytes: 0 }
  for (const line of maps.split("\n")) {
    const [, from, to, access] = /^([0-9a-f]+)-([0-9a-f]+) (\S+)/.exec(line) ?? []
    if (from === undefined || to === undefined) continue
    const startAt = Number.parseInt(from, 16)
    const endAt = Number.parseInt(to, 16)
    const reserved =
      access === "---p" && endAt - startAt + before.writableBytes >= WasmReservationBytes
    if (reserved && startAt === before.endAt) bytes += before.writableBytes
    before = { endAt, writableBytes: access === "rw-p" ? endAt - startAt : 0 }
  }
  return bytes
}

/** Memory of a process that V8 counts nowhere, in bytes. */
export interface MappedBytes {
  readonly wasmBytes: number
  /** Machine code that V8 has compiled and that is really there; `0` where it was not asked for. */
  readonly codeBytes: number
}

/**
 * `null` where it may not be read: by root without the right to trace, of another user's process. Also where the mappings of
 * a process with code are too many to be read: how many there are is for its code to say.
 */
export const mappedBytesOf = (pid: number, withCode: boolean): MappedBytes | null => {
  // Every line of `maps` is in `smaps` too.
  const text = withCode
    ? readBounded(`/proc/${pid}/smaps`, RoomProcessLimits.smapsBytes.max)
    : procTextOf(pid, "maps")
  if (text === null || text === "") return null
  return { wasmBytes: parseWasmBytes(text), codeBytes: withCode ? parseCodeBytes(text) : 0 }
}

/**
 * Bytes of compiled code that are really there, from the text of `/proc/<pid>/smaps`: V8 reserves far more than it fills.
 * Nothing but V8 has memory that runs and that is of no file.
 */
export const parseCodeBytes = (details: string): number => {
  let bytes = 0
  let isCode = false
  for (const line of details.split("\n")) {
    const [, access, inode, name] =
      /^[0-9a-f]+-[0-9a-f]+ (\S+) \S+ \S+ (\d+)\s*(\S?)/.exec(line) ?? []
    if (access !== undefined) isCode = access[2] === "x" && inode === "0" && name === ""
    else if (isCode) bytes += Number(/^Rss:\s*(\d+) kB$/.exec(line)?.[1] ?? 0) * 1024
  }
  return bytes
}

/** What the system tells of a process; `null` = nothing, as the process is gone or may not be read. */
export const procTextOf = (pid: number, file: string): string | null => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8")
  } catch {
    return null
  }
}

/** The text of a file whose size the system does not tell; `null` = it cannot be read, or is longer. */
export const readBounded = (path: string, bytesMax: number): string | null => {
  try {
    const file = openSync(path, "r")
    try {
      return readUpTo(file, bytesMax)
    } finally {
      closeSync(file)
    }
  } catch {
    return null
  }
}

const readUpTo = (file: number, bytesMax: number): string | null => {
  // One byte more than may be there tells a file that is too long.
  let bytes = Buffer.allocUnsafe(Math.min(FirstReadBytes, bytesMax + 1))
  let length = 0
  for (;;) {
    const read = readSync(file, bytes, length, bytes.length - length, null)
    if (read === 0) return bytes.toString("latin1", 0, length)
    length += read
    if (length > bytesMax) return null
    if (length < bytes.length) continue
    const larger = Buffer.allocUnsafe(Math.min(2 * length, bytesMax + 1))
    bytes.copy(larger)
    bytes = larger
  }
}

/** The mappings of most processes are shorter. */
const FirstReadBytes = 256 * 1024
