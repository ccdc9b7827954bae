/**
 * The first code of a room process. It closes what room code must not reach, then takes the bundle
 * over fd 3 and runs it. It is passed to `node --eval` without its types, so that the process needs
 * no file at all: therefore it imports Node's modules only, and gets every number as an argument.
 *
 * What it closes is closed against accidents and idle curiosity. Room code shares the realm with
 * this file; the permission model, the uid and the limits of the process are the real walls.
 */
import { registerHooks, syncBuiltinESMExports } from "node:module"
import { Socket } from "node:net"
import os from "node:os"
import { format } from "node:util"
import { deserialize, serialize } from "node:v8"
import { compileFunction, constants } from "node:vm"

interface BootOptions {
  /** The uid and gid to become, when the service runs as root. */
  readonly uid: number | null
  readonly fileName: string
  readonly logLineUnits: number
  readonly headerBytes: number
  readonly load: number
  readonly describeMode: number
  readonly booted: number
  readonly failed: number
  readonly log: number
  readonly logLevels: ReadonlyArray<string>
}

type Receive = (kind: number, payload: Uint8Array) => void

// Written by the service itself.
const options: BootOptions = JSON.parse(process.argv[1] ?? "{}")

// Room code may replace what is global; these are the originals.
const { setTimeout, clearTimeout, setImmediate, performance, Buffer } = globalThis
const nextTick = process.nextTick.bind(process)
const memoryUsage = process.memoryUsage.bind(process)
// Not `process.exit`: that runs listeners, which may never return.
const exitNow: (code: number) => never = Reflect.get(process, "reallyExit").bind(process)
const collectGarbage: unknown = Reflect.get(globalThis, "gc")

const becomeRoomUser = (uid: number): void => {
  process.setgroups?.([])
  process.setgid?.(uid)
  process.setuid?.(uid)
}

// ---- fd 3 ----

const socket = new Socket({
  ...{ fd: 3, readable: true, writable: true },
  // One buffer for all reads: Node's own is 64 KiB for each of them, half of what a small frame costs.
  onread: {
    buffer: Buffer.allocUnsafeSlow(64 * 1024),
    callback: (bytes, buffer) => {
      // A copy: what room code keeps of a frame must not change with the next one.
      take(Buffer.from(buffer.subarray(0, bytes)))
      return true
    }
  }
})
// The service is gone: nobody will ever ask for this room again.
socket.on("end", () => exitNow(0))
socket.on("close", () => exitNow(0))
socket.on("error", () => exitNow(0))

let waiting: Uint8Array[] = []
let flushing = false

const flush = (): void => {
  flushing = false
  if (waiting.length === 0) return
  const frames = waiting
  waiting = []
  const [first] = frames
  socket.write(frames.length === 1 && first !== undefined ? first : Buffer.concat(frames))
}

const send = (frame: Uint8Array): void => {
  waiting.push(frame)
  if (flushing) return
  flushing = true
  nextTick(flush)
}

let ended = false

const end = (code: number): void => {
  if (ended) return
  ended = true
  flush()
  socket.end(() => exitNow(code))
}

// ---- frames of boot itself ----

const textPart = (value: string): Buffer => {
  const bytes = Buffer.from(value.toWellFormed())
  const length = Buffer.alloc(4)
  length.writeUInt32LE(bytes.length)
  return Buffer.concat([length, bytes])
}

const frameOf = (kind: number, ...parts: ReadonlyArray<Buffer>): Buffer => {
  const payload = Buffer.concat(parts)
  const header = Buffer.alloc(options.headerBytes)
  header.writeUInt32LE(payload.length + 1)
  header.writeUInt8(kind, 4)
  return Buffer.concat([header, payload])
}

const cut = (text: string): string => text.slice(0, options.logLineUnits)

const log = (level: string, line: string): void => {
  const place = Buffer.from([Math.max(0, options.logLevels.indexOf(level))])
  send(frameOf(options.log, place, textPart(cut(line))))
}

const stackOf = (error: unknown): string => {
  try {
    return error instanceof Error ? String(error.stack) : `thrown: ${String(error)}`
  } catch {
    return "an error that cannot be shown was thrown"
  }
}

const messageOf = (error: unknown): string => {
  try {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  } catch {
    return "an error that cannot be shown was thrown"
  }
}

// ---- walls ----

const refusal = (what: string): Error =>
  Object.assign(new Error(`E_ROOM_IMPORT: ${what}: a room has no Node modules and no network`), {
    code: "E_ROOM_IMPORT"
  })

// A function expression: libraries call some of these with `new`.
const refuse = (what: string) =>
  function refused(name?: unknown): never {
    throw refusal(typeof name === "string" ? `${what} of ${name.slice(0, 100)}` : what)
  }

// Texts that are split: one name a line would make this file twice as long.
const names = (text: string): Set<string> => new Set(text.split(" "))

/** What is left of the real `process`: what Node's own code reads. Nothing of it acts on others. */
const KeptOfProcess = names(
  "_events _eventsCount _exiting _fatalException _maxListeners _tickCallback arch argv " +
    "argv0 config domain emitWarning env execArgv execPath exitCode features nextTick pid " +
    "platform release sourceMapsEnabled title version versions"
)

/**
 * The globals of a room: the language, and what neither acts nor leads to what does. All others go,
 * so that a later Node adds none unseen. docs/isolation.md says why streams, Blob, MessageChannel
 * and the classes around fetch are not among them.
 */
const RoomGlobals = names(
  "AggregateError Array ArrayBuffer AsyncDisposableStack Atomics BigInt BigInt64Array " +
    "BigUint64Array Boolean DataView Date DisposableStack Error EvalError FinalizationRegistry " +
    "Float16Array Float32Array Float64Array Function Infinity Int16Array Int32Array Int8Array " +
    "Intl Iterator JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError " +
    "Reflect RegExp Set SharedArrayBuffer String SuppressedError Symbol SyntaxError Temporal " +
    "TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef " +
    "WeakSet WebAssembly decodeURI decodeURIComponent encodeURI encodeURIComponent escape eval " +
    "globalThis isFinite isNaN parseFloat parseInt undefined unescape " +
    "AbortController AbortSignal Buffer Crypto CryptoKey CustomEvent DOMException Event " +
    "EventTarget SubtleCrypto TextDecoder TextEncoder URL URLPattern URLSearchParams atob btoa " +
    "clearImmediate clearInterval clearTimeout crypto global queueMicrotask setImmediate " +
    "setInterval setTimeout"
)

/** There, so that who calls them learns why they do not act. */
const UnreachableGlobals = ["fetch", "WebSocket", "EventSource", "XMLHttpRequest", "Worker"]

/** What room code sees as `process`: enough for libraries that look at it, and nothing that acts. */
const roomProcess = (): object => {
  const { version, platform, arch } = process
  const hrtime = process.hrtime.bind(process)
  return Object.freeze({
    env: Object.freeze({}),
    argv: Object.freeze([]),
    version,
    versions: Object.freeze({ node: process.versions.node }),
    platform,
    arch,
    cwd: () => "/",
    hrtime: Object.assign((since?: [number, number]) => hrtime(since), { bigint: hrtime.bigint }),
    uptime: () => performance.now() / 1000,
    nextTick,
    memoryUsage: () => memoryUsage(),
    emitWarning: (warning: unknown) => log("warn", format(warning))
  })
}

/** No marks: their details are copied by Node's own `structuredClone`. */
const roomPerformance = (): object =>
  Object.freeze({ now: () => performance.now(), timeOrigin: performance.timeOrigin })

const roomConsole = (): object => {
  const at =
    (level: string) =>
    (...values: ReadonlyArray<unknown>): void =>
      log(level, format(...values))
  const nothing = (): void => {}
  return Object.freeze({
    ...{ log: at("info"), info: at("info"), dir: at("info"), table: at("info") },
    ...{ debug: at("debug"), warn: at("warn"), error: at("error"), group: at("info") },
    trace: (...values: ReadonlyArray<unknown>) =>
      log("debug", String(new Error(format(...values)).stack)),
    assert: (holds: unknown, ...values: ReadonlyArray<unknown>) => {
      if (!holds) log("error", `Assertion failed: ${format(...values)}`)
    },
    ...{ count: nothing, countReset: nothing, groupEnd: nothing },
    ...{ time: nothing, timeLog: nothing, timeEnd: nothing }
  })
}

const transferred = ArrayBuffer.prototype.transfer

/** Node's own one builds any class of Node whose name an object with the right symbol tells it. */
const roomClone = (value: unknown, settings?: { readonly transfer?: Iterable<ArrayBuffer> }) => {
  const copy: unknown = deserialize(serialize(value))
  for (const buffer of settings?.transfer ?? []) Reflect.apply(transferred, buffer, [])
  return copy
}

const takeAway = (from: object, name: string): void => {
  const gone = { value: undefined, writable: false, configurable: false }
  if (!Reflect.defineProperty(from, name, gone)) Reflect.set(from, name, undefined)
}

/**
 * A setter for a name that Node's own objects lack would be handed those objects, and so would a
 * `call` or `bind` of the room's own: Node's streams and its loader use them.
 */
const sealPrototypes = (): void => {
  for (const name of ["call", "apply", "bind"]) {
    Object.defineProperty(Function.prototype, name, { writable: false, configurable: false })
  }
  Object.preventExtensions(Array.prototype)
  let prototype: unknown = Object.getPrototypeOf(socket)
  while (typeof prototype === "object" && prototype !== null) {
    Object.preventExtensions(prototype)
    prototype = Object.getPrototypeOf(prototype)
  }
}

const closeWalls = (): void => {
  registerHooks({
    resolve: (name) => {
      throw refusal(`import of ${name.slice(0, 100)}`)
    }
  })
  const shown = {
    process: roomProcess(),
    console: roomConsole(),
    performance: roomPerformance(),
    structuredClone: roomClone
  }
  for (const name of Object.getOwnPropertyNames(process)) {
    if (!KeptOfProcess.has(name)) takeAway(process, name)
  }
  // Neither the permission model nor the kernel keeps it from the service's own process.
  takeAway(os, "setPriority")
  syncBuiltinESMExports()
  // These load Node's HTTP client.
  takeAway(WebAssembly, "compileStreaming")
  takeAway(WebAssembly, "instantiateStreaming")
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    if (RoomGlobals.has(name)) continue
    // `gc` cannot be deleted everywhere; an undefined one does not act.
    if (!Reflect.deleteProperty(globalThis, name)) Reflect.set(globalThis, name, undefined)
  }
  const define = (name: string, value: unknown): void => {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true })
  }
  for (const name of UnreachableGlobals) define(name, refuse(name))
  for (const [name, value] of Object.entries(shown)) define(name, value)
  sealPrototypes()
}

// ---- the bundle ----

const usedBytes = (): number => {
  const { heapUsed, external } = memoryUsage()
  return heapUsed + external
}

/** What Node itself takes is not the room's. */
let bytesBeforeBundle = 0

const liveBytes = (): number => {
  if (typeof collectGarbage === "function") {
    // Twice or more often, as what one run finalises is only freed by the next; and free pages go
    // back to the system, which a plain run keeps: they would look like memory of the room.
    collectGarbage({ type: "major", execution: "sync", flavor: "last-resort" })
  }
  return Math.max(0, usedBytes() - bytesBeforeBundle)
}

const runBundle = (payload: Buffer): Receive => {
  bytesBeforeBundle = usedBytes() - payload.length
  const mode = payload[0] === options.describeMode ? "describe" : "start"
  const run = compileFunction(payload.toString("utf8", 1), ["exports", "require", "module"], {
    filename: options.fileName,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER
  })
  const module = { exports: {} }
  run(module.exports, refuse("require"), module)
  const connect: unknown = Reflect.get(module.exports, "connect")
  if (typeof connect !== "function") throw new Error("the bundle has no connect()")
  const port = {
    mode,
    send,
    nowMs: () => performance.now(),
    setTimer: (delayMs: number, timer: () => void) => {
      const handle = setTimeout(timer, delayMs)
      return () => clearTimeout(handle)
    },
    afterTurn: (turn: () => void) => void (reading ? turns.push(turn) : setImmediate(turn)),
    liveBytes,
    format: (values: ReadonlyArray<unknown>) => format(...values),
    end: () => end(0)
  }
  const receive: unknown = connect(port, Reflect.get(module.exports, "rooms"))
  if (typeof receive !== "function") throw new Error("the bundle's connect() gave no receiver")
  return (kind, bytes) => void receive(kind, bytes)
}

let receive: Receive = (kind, payload) => {
  if (kind !== options.load) return
  try {
    receive = runBundle(Buffer.from(payload.buffer, payload.byteOffset, payload.length))
  } catch (error) {
    receive = () => {}
    send(frameOf(options.failed, textPart(cut(messageOf(error))), textPart(cut(stackOf(error)))))
    end(0)
  }
}

// ---- reading ----

let reading = false
/** What runs when all frames that have been read are handled. */
let turns: Array<() => void> = []
let chunks: Buffer[] = []
let bytesHeld = 0

/** Takes whole frames out of what has been read. */
const readFrames = (): void => {
  let bytes = chunks.length === 1 ? (chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(chunks)
  while (!ended && bytes.length >= 4) {
    const size = 4 + bytes.readUInt32LE(0)
    if (bytes.length < size) break
    receive(bytes[4] ?? 0, bytes.subarray(options.headerBytes, size))
    bytes = bytes.subarray(size)
  }
  chunks = bytes.length === 0 ? [] : [bytes]
  bytesHeld = bytes.length
}

/** Bytes of the frame that is being read, `4` while its length is not known. */
const bytesWanted = (): number => {
  const [first] = chunks
  return first !== undefined && first.length >= 4 ? 4 + first.readUInt32LE(0) : 4
}

const take = (chunk: Buffer): void => {
  chunks.push(chunk)
  bytesHeld += chunk.length
  // Joined only when a frame is whole: a large one comes in very many pieces.
  if (bytesHeld < bytesWanted()) return
  reading = true
  // What is sent meanwhile leaves at the end of this, and not at the end of the event loop's turn.
  flushing = true
  readFrames()
  reading = false
  const due = turns
  turns = []
  for (const turn of due) turn()
  flush()
}

process.on("uncaughtException", (error) => {
  log("error", `uncaught: ${stackOf(error)}`)
  end(70)
})
process.on("unhandledRejection", (error) => log("error", `unhandled rejection: ${stackOf(error)}`))

if (options.uid !== null) becomeRoomUser(options.uid)
closeWalls()

send(frameOf(options.booted))
