/**
 * The first code of a room process. It closes what room code must not reach, then takes the bundle
 * over fd 3 and runs it. It is passed to `node --eval` without its types, so that the process needs
 * no file at all: therefore it loads Node's modules only, and gets every number as an argument.
 *
 * What it closes is closed against accidents and idle curiosity. Room code shares the realm with
 * this file; the permission model, the uid and the limits of the process are the real walls.
 */
import { type Sharing, type Shell, shareProcess } from "./BootShared.ts"
import { closeWalls, format, messageOf, Node, refuse, stackOf } from "./BootWalls.ts"

const { closeSync } = process.getBuiltinModule("node:fs")
const { Socket } = process.getBuiltinModule("node:net")
const { compileFunction, constants } = process.getBuiltinModule("node:vm")
const { cachedDataVersionTag } = process.getBuiltinModule("node:v8")

interface BootOptions {
  /** The uid and gid to become, when the service runs as root. */
  readonly uid: number | null
  /** Where Node's own file is open; `null` = it was run by its path. */
  readonly nodeDescriptor: number | null
  readonly fileName: string
  readonly logLineUnits: number
  readonly headerBytes: number
  readonly load: number
  readonly describeMode: number
  readonly tellMode: number
  readonly cachedMode: number
  readonly sharedMode: number
  /** The kinds of the frames of a process that rooms share. */
  readonly shared: Shell["kinds"]
  readonly booted: number
  readonly failed: number
  readonly compiled: number
  readonly cacheBytesMax: number
  readonly log: number
  readonly logLevels: ReadonlyArray<string>
}

type Receive = (kind: number, payload: Uint8Array) => void

// Written by the service itself.
const options: BootOptions = JSON.parse(process.argv[1] ?? "{}")

// Room code may replace what is global; these are the originals.
const { Buffer, Promise } = globalThis
// Not `process.exit`: that runs listeners, which may never return.
const exitNow: (code: number) => never = Reflect.get(process, "reallyExit").bind(process)
const collectGarbage: unknown = Reflect.get(globalThis, "gc")

const becomeRoomUser = (uid: number): void => {
  process.setgroups?.([])
  process.setgid?.(uid)
  process.setuid?.(uid)
}

// ---- compression ----

const { env, getBuiltinModule } = process

/** Loaded at its first use: most rooms record nothing. */
const zlib = () => {
  // One thread is enough, and each of them takes memory of the room.
  env["UV_THREADPOOL_SIZE"] = "1"
  return getBuiltinModule("node:zlib")
}

const compression = {
  compress: (bytes: Uint8Array, purpose: "kept" | "stored"): Promise<Uint8Array> =>
    new Promise((resolve, reject) => {
      const { zstdCompress, constants } = zlib()
      // Half of the time of the usual level, 3, is the clearing of its tables. Those of the first one are small, and
      // smaller for a known size; what it makes is 2 to 8 % larger.
      const params = { [constants.ZSTD_c_compressionLevel]: purpose === "kept" ? 1 : 3 }
      zstdCompress(bytes, { params, pledgedSrcSize: bytes.length }, (error, made) =>
        error === null ? resolve(made) : reject(error)
      )
    }),
  decompress: (bytes: Uint8Array, bytesMax: number): Promise<Uint8Array> =>
    new Promise((resolve, reject) => {
      zlib().zstdDecompress(bytes, { maxOutputLength: bytesMax }, (error, made) =>
        error === null ? resolve(made) : reject(error)
      )
    })
}

// ---- fd 3 ----

const socket = new Socket({
  fd: 3,
  readable: true,
  writable: true,
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
  Node.nextTick(flush)
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

const logFrame = (level: string, line: string): Buffer => {
  const place = Buffer.from([Math.max(0, options.logLevels.indexOf(level))])
  return frameOf(options.log, place, textPart(cut(line)))
}

const log = (level: string, line: string): void => send(logFrame(level, line))

let namesPlaces = false

/** The place in the bundle that called a function; empty = it is not known, or the project is not `dev`. */
const placeOf = (by: CallableFunction): string => {
  if (!namesPlaces) return ""
  const before = Error.stackTraceLimit
  try {
    const here = { stack: "" }
    Error.stackTraceLimit = 1
    Error.captureStackTrace(here, by)
    const { stack } = here
    const at = stack.lastIndexOf(`${options.fileName}:`)
    return at === -1 ? "" : (/^[^\s():]+:\d+:\d+/.exec(stack.slice(at))?.[0] ?? "")
  } catch {
    // Room code may have put its own functions in the place of these.
    return ""
  } finally {
    Error.stackTraceLimit = before
  }
}

/** A line of the console, and in `dev` where it was written. */
const lineFrom = (line: string, by: CallableFunction): string => {
  const place = line.includes(options.fileName) ? "" : placeOf(by)
  return place === "" ? line : `${line} (${place})`
}

const logFrom = (level: string, line: string, by: CallableFunction): void =>
  log(level, lineFrom(line, by))

// ---- the bundle ----

const usedBytes = (): number => {
  const { heapUsed, external } = Node.memoryUsage()
  return heapUsed + external
}

/** Bytes that Node itself takes: they are not the room's. */
let bytesBeforeBundle = 0

const liveBytes = (): number => {
  if (typeof collectGarbage === "function") {
    // Twice or more often, as what one run finalises is only freed by the next; and free pages go
    // back to the system, which a plain run keeps: they would look like memory of the room.
    collectGarbage({ type: "major", execution: "sync", flavor: "last-resort" })
  }
  return Math.max(0, usedBytes() - bytesBeforeBundle)
}

const compile = (code: string, cache?: { produceCachedData?: boolean; cachedData?: Buffer }) =>
  compileFunction(code, ["exports", "require", "module"], {
    filename: options.fileName,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    ...cache
  })

/** The build and the flags of V8, and the machine. */
const versionTag = (): Buffer => {
  const tag = Buffer.alloc(4)
  tag.writeUInt32LE(cachedDataVersionTag())
  return tag
}

/** `u32 length, u32 version tag, cache, rest = JavaScript`. A cache of another V8 is left alone. */
const compileCached = (payload: Buffer): ReturnType<typeof compile> => {
  const codeAt = 4 + payload.readUInt32LE(0)
  const code = payload.toString("utf8", codeAt)
  if (!payload.subarray(4, 8).equals(versionTag())) return compile(code)
  return compile(code, { cachedData: payload.subarray(8, codeAt) })
}

type Run = ReturnType<typeof compile>

const afterTurn = (turn: () => void): void =>
  void (reading ? turns.push(turn) : Node.setImmediate(() => turn()))

const runBundle = (run: Run, mode: "describe" | "start"): Receive => {
  const module = { exports: {} }
  run(module.exports, refuse("require"), module)
  const connect: unknown = Reflect.get(module.exports, "connect")
  if (typeof connect !== "function") throw new Error("the bundle has no connect()")
  const port = {
    mode,
    send,
    nowMs: () => Node.nowMs(),
    setTimer: (delayMs: number, timer: () => void) => {
      // Room code may bring a runtime of its own: it is not called with Node's timer as `this`.
      const handle = Node.setTimeout(() => timer(), delayMs)
      return () => Node.clearTimeout(handle)
    },
    afterTurn,
    liveBytes,
    format: (values: ReadonlyArray<unknown>) => format(...values),
    compression,
    namePlaces: () => void (namesPlaces = true),
    placeOf,
    end: () => end(0)
  }
  const receive: unknown = connect(port, Reflect.get(module.exports, "rooms"))
  if (typeof receive !== "function") throw new Error("the bundle's connect() gave no receiver")
  return (kind, bytes) => void receive(kind, bytes)
}

const failedFrame = (error: unknown): Buffer =>
  frameOf(options.failed, textPart(cut(messageOf(error))), textPart(cut(stackOf(error))))

const fail = (error: unknown): void => {
  receive = () => {}
  send(failedFrame(error))
  end(0)
}

/** Runs the bundle that `make` compiles. */
const begin = (make: () => Run, mode: "describe" | "start"): void => {
  try {
    receive = runBundle(make(), mode)
  } catch (error) {
    fail(error)
  }
}

/** Sends V8's code cache, and runs the code when the socket has taken the whole cache: no room code can have changed it. */
const beginTold = (code: string): void => {
  const held: Array<Parameters<Receive>> = []
  const run = (made: Run): void => {
    begin(() => made, "start")
    for (const frame of held) receive(...frame)
  }
  receive = (...frame) => void held.push(frame)
  try {
    const made = compile(code, { produceCachedData: true })
    const { cachedData } = made
    if (cachedData === undefined || cachedData.length > options.cacheBytesMax) return run(made)
    flush()
    socket.write(frameOf(options.compiled, versionTag(), cachedData), () => run(made))
  } catch (error) {
    fail(error)
  }
}

/** Set in a process for many rooms. */
let sharing: Sharing | null = null

const share = (code: string): void => {
  sharing = shareProcess({
    code,
    fileName: options.fileName,
    kinds: options.shared,
    send,
    frameOf,
    logFrame,
    lineFrom,
    failedFrame,
    stackOf,
    liveBytes,
    compression,
    afterTurn,
    namePlaces: () => void (namesPlaces = true),
    placeOf
  })
  receive = sharing.receive
}

const load = (payload: Buffer): void => {
  const [mode] = payload
  bytesBeforeBundle = usedBytes() - payload.length
  const code = (): string => payload.toString("utf8", 1)
  if (mode === options.sharedMode) share(code())
  else if (mode === options.tellMode) beginTold(code())
  else if (mode === options.cachedMode) begin(() => compileCached(payload.subarray(1)), "start")
  else begin(() => compile(code()), mode === options.describeMode ? "describe" : "start")
}

let receive: Receive = (kind, payload) => {
  if (kind !== options.load) return
  load(Buffer.from(payload.buffer, payload.byteOffset, payload.length))
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
  if (sharing?.crashed(error) === true) return
  log("error", `uncaught: ${stackOf(error)}`)
  end(70)
})
process.on("unhandledRejection", (error, promise) => {
  const line = `unhandled rejection: ${stackOf(error)}`
  if (sharing === null) log("error", line)
  else sharing.say("error", line, [promise, error])
})

if (options.nodeDescriptor !== null) closeSync(options.nodeDescriptor)
if (options.uid !== null) becomeRoomUser(options.uid)
closeWalls(socket, log, logFrom)

send(frameOf(options.booted))
