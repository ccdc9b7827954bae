/**
 * A process that many rooms of one deployment share: each of them has a realm of its own, with the language's globals
 * and an instance of the bundle's modules. A part of boot's text (`BootSource.ts`): it loads Node's modules only.
 */
import { type Inside, realmText, SharedGlobals } from "./BootRealm.ts"
import {
  format,
  Node,
  refuse,
  roomConsole,
  RoomImmediate,
  roomPerformance,
  roomProcess,
  RoomTimeout,
  type Task,
  UnreachableGlobals
} from "./BootWalls.ts"

const { Buffer: RealBuffer, TextEncoder: RealEncoder } = globalThis
const { constants: vmConstants, createContext, Script } = process.getBuiltinModule("node:vm")

type Take = (kind: number, payload: Uint8Array) => void

/** Parts of boot that a shared process uses. */
export interface Shell {
  readonly code: string
  readonly fileName: string
  readonly kinds: {
    readonly toRoom: number
    readonly open: number
    readonly close: number
    readonly weigh: number
    readonly fromRoom: number
    readonly ended: number
    readonly weighed: number
  }
  send(frame: Uint8Array): void
  frameOf(kind: number, ...parts: ReadonlyArray<Buffer>): Buffer
  logFrame(level: string, line: string): Buffer
  lineFrom(line: string, by: CallableFunction): string
  failedFrame(error: unknown): Buffer
  stackOf(error: unknown): string
  liveBytes(): number
  readonly compression: {
    compress(bytes: Uint8Array, purpose: "kept" | "stored"): Promise<Uint8Array>
    decompress(bytes: Uint8Array, bytesMax: number): Promise<Uint8Array>
  }
  afterTurn(turn: () => void): void
  namePlaces(): void
  placeOf(by: CallableFunction): string
}

export interface Sharing {
  readonly receive: Take
  /** An error that nobody caught. @returns whether it is known whose it is: that room is no more */
  crashed(error: unknown): boolean
  /** A line of the room that one of these values is of, or else of the process. */
  say(level: string, line: string, values: ReadonlyArray<unknown>): void
}

interface SharedRoom {
  readonly number: number
  over: boolean
  /** The last prototype of all its values; `null` = its realm is not made. */
  origin: object | null
  take: Take
  /** Its timers, and how to stop them. */
  readonly timers: Map<unknown, () => void>
}

/** Prototypes of a value that are looked at. */
const PrototypesMax = 1000

/** The exit code of a process of its own that ends of an error. */
const CrashedCode = 70

/** The rooms of this process: takes the frames to them apart, and says of which the frames are. */
class SharedRooms implements Sharing {
  readonly #shell: Shell
  readonly #rooms = new Map<number, SharedRoom>()
  #to = 0
  #from = 0
  #scripts: { readonly realm: RealmScript; readonly bundle: BundleScript } | null = null

  constructor(shell: Shell) {
    this.#shell = shell
  }

  readonly receive: Take = (kind, payload) => {
    const { kinds } = this.#shell
    const bytes = RealBuffer.from(payload.buffer, payload.byteOffset, payload.length)
    if (kind === kinds.toRoom) this.#to = bytes.readUInt32LE(0)
    else if (this.#to === 0) this.#weigh(kind, bytes)
    else if (kind === kinds.open) this.#open(this.#to)
    else {
      const room = this.#rooms.get(this.#to)
      if (room !== undefined && kind === kinds.close) this.#leave(room, 0)
      else room?.take(kind, payload)
    }
  }

  crashed(error: unknown): boolean {
    const room = this.#roomOf(error)
    if (room !== null) this.#crash(room, error)
    else this.#say(0, "error", `uncaught: ${this.#shell.stackOf(error)}`)
    return room !== null
  }

  say(level: string, line: string, values: ReadonlyArray<unknown>): void {
    const owners = values.map((value) => this.#roomOf(value))
    this.#say(owners.find((room) => room !== null)?.number ?? 0, level, line)
  }

  #say(number: number, level: string, line: string): void {
    this.#sendFrom(number, this.#shell.logFrame(level, line))
  }

  #weigh(kind: number, number: Buffer): void {
    const { kinds, liveBytes, frameOf } = this.#shell
    if (kind !== kinds.weigh) return
    const live = RealBuffer.alloc(8)
    live.writeDoubleLE(liveBytes())
    this.#sendFrom(0, frameOf(kinds.weighed, number.subarray(0, 4), live))
  }

  #sendFrom(number: number, frame: Uint8Array): void {
    const { kinds, frameOf, send } = this.#shell
    if (this.#from !== number) send(frameOf(kinds.fromRoom, u32(number)))
    this.#from = number
    send(frame)
  }

  #open(number: number): void {
    const room: SharedRoom = {
      number,
      over: false,
      origin: null,
      take: () => {},
      timers: new Map()
    }
    this.#rooms.set(number, room)
    try {
      const receive = this.#begin(room)
      room.take = (kind, payload) => this.#inRoom(room, () => receive(kind, payload))
    } catch (error) {
      this.#sendFrom(number, this.#shell.failedFrame(error))
      this.#leave(room, 0)
    }
  }

  /** Runs the bundle in a realm for the room. */
  #begin(room: SharedRoom): Take {
    const shell = this.#shell
    this.#scripts ??= { realm: new Script(realmText()), bundle: bundleScript(shell) }
    const parts: RoomParts = {
      shell,
      send: (frame) => {
        if (!room.over) this.#sendFrom(room.number, frame)
      },
      inRoom: (act) => this.#inRoom(room, act),
      end: () => this.#leave(room, 0)
    }
    const inside = makeRealm(this.#scripts.realm, room, parts)
    return inside.run(this.#scripts.bundle, portOf(room, inside, parts))
  }

  /** Runs code of a room: what it throws is the room's end, and nobody else's. */
  #inRoom(room: SharedRoom, act: () => void): void {
    if (room.over) return
    try {
      act()
    } catch (error) {
      if (!room.over) this.#crash(room, error)
    }
  }

  #crash(room: SharedRoom, error: unknown): void {
    this.#say(room.number, "error", `uncaught: ${this.#shell.stackOf(error)}`)
    this.#leave(room, CrashedCode)
  }

  #leave(room: SharedRoom, code: number): void {
    if (room.over) return
    room.over = true
    this.#rooms.delete(room.number)
    room.take = () => {}
    for (const stop of room.timers.values()) stop()
    room.timers.clear()
    const { kinds, frameOf } = this.#shell
    this.#sendFrom(room.number, frameOf(kinds.ended, RealBuffer.from([code])))
  }

  #roomOf(value: unknown): SharedRoom | null {
    const origin = originOf(value)
    return this.#rooms.values().find((room) => origin !== null && room.origin === origin) ?? null
  }
}

export const shareProcess = (shell: Shell): Sharing => {
  for (const { prototype } of [RoomTimeout, RoomImmediate]) Object.freeze(prototype)
  return new SharedRooms(shell)
}

const u32 = (value: number): Buffer => {
  const bytes = RealBuffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

/** The last of a value's prototypes: `Object.prototype` of its realm. Traps of a proxy may throw. */
const originOf = (value: unknown): object | null => {
  try {
    let last: object | null = null
    let next: unknown = value
    for (let steps = 0; steps < PrototypesMax; steps++) {
      if ((typeof next !== "object" && typeof next !== "function") || next === null) return last
      last = next
      next = Object.getPrototypeOf(next)
    }
    return null
  } catch {
    return null
  }
}

type RealmScript = InstanceType<typeof Script>
type BundleScript = InstanceType<typeof Script>

const wrapper = "(function (exports, require, module) {"

/** The places of its first line are those of the bundle. */
const bundleScript = ({ code, fileName }: Shell): BundleScript =>
  new Script(`${wrapper}${code}\n})`, {
    filename: fileName,
    columnOffset: -wrapper.length,
    importModuleDynamically: vmConstants.USE_MAIN_CONTEXT_DEFAULT_LOADER
  })

/** The ways between a room and its process. */
interface RoomParts {
  readonly shell: Shell
  send(frame: Uint8Array): void
  inRoom(act: () => void): void
  end(): void
}

interface Realm extends Inside {
  run(bundle: BundleScript, port: object): Take
}

/** A realm with the globals of a room, and what runs the bundle in it. */
const makeRealm = (
  script: RealmScript,
  room: SharedRoom,
  { shell, send, inRoom }: RoomParts
): Realm => {
  const realm = createContext(vmConstants.DONT_CONTEXTIFY)
  room.origin = Reflect.get(Reflect.get(realm, "Object"), "prototype")
  const log = (level: string, line: string): void => send(shell.logFrame(level, line))
  const logFrom = (level: string, line: string, by: CallableFunction): void =>
    log(level, shell.lineFrom(line, by))
  const nextTick = (task: Task, ...values: ReadonlyArray<unknown>): void =>
    Node.nextTick(() => inRoom(() => void task(...values)))
  const shown = {
    process: roomProcess(log, nextTick),
    console: roomConsole(log, logFrom),
    performance: roomPerformance(),
    ...timersOf(room, inRoom),
    ...Object.fromEntries(UnreachableGlobals.map((name) => [name, refuse(name)]))
  }
  const inside: Inside = script.runInContext(realm)({
    shown,
    shared: [...SharedGlobals],
    sharedGlobal,
    RealBuffer,
    encoder: new RealEncoder(),
    soon: inRoom
  })
  return {
    ...inside,
    run: (bundle, port) => inside.begin(bundle.runInContext(realm), port, refuse("require"))
  }
}

const frozen = new Set<string>()

/** A global of Node that all rooms of the process have: none of them can change it. Some load at their first use. */
const sharedGlobal = (name: string): unknown => {
  const value: unknown = Reflect.get(globalThis, name)
  if (frozen.has(name)) return value
  frozen.add(name)
  const isClass = typeof value === "function"
  let part: unknown = isClass ? value.prototype : null
  while (typeof part === "object" && part !== null && part !== Object.prototype) {
    Object.freeze(part)
    part = Object.getPrototypeOf(part)
  }
  return Object.freeze(value)
}

/** What the runtime in the room's realm needs of the process. */
const portOf = (
  room: SharedRoom,
  inside: Inside,
  { shell, send, inRoom, end }: RoomParts
): object => {
  const { compression } = shell
  return {
    mode: "start",
    send,
    nowMs: () => Node.nowMs(),
    setTimer: (delayMs: number, timer: () => void) => {
      // The timer that the room's runtime asked for.
      const handle = Node.setTimeout(() => {
        room.timers.delete(handle)
        inRoom(timer)
      }, delayMs)
      const stop = (): void => {
        room.timers.delete(handle)
        Node.clearTimeout(handle)
      }
      room.timers.set(handle, stop)
      return stop
    },
    afterTurn: (turn: () => void) => shell.afterTurn(() => inRoom(turn)),
    liveBytes: () => shell.liveBytes(),
    format: (values: ReadonlyArray<unknown>) => format(...values),
    compression: {
      compress: (bytes: Uint8Array, purpose: "kept" | "stored") =>
        compression.compress(bytes, purpose).then(inside.bytes),
      decompress: (bytes: Uint8Array, bytesMax: number) =>
        compression.decompress(bytes, bytesMax).then(inside.bytes)
    },
    namePlaces: () => shell.namePlaces(),
    placeOf: (by: CallableFunction) => shell.placeOf(by),
    end
  }
}

/** The timers of a room, which end with it. */
const timersOf = (room: SharedRoom, inRoom: RoomParts["inRoom"]): object => {
  const { timers } = room
  const demand = (task: Task): void => {
    if (typeof task === "function") return
    throw new TypeError("The callback of a timer must be a function")
  }
  const started =
    (repeats: boolean) =>
    (task: Task, delayMs: number, ...values: unknown[]) => {
      demand(task)
      const run = (): void => {
        if (!repeats) timers.delete(timer)
        inRoom(() => void Reflect.apply(task, timer, values))
      }
      const timer: RoomTimeout = new RoomTimeout({ task: run, values: [] }, delayMs, repeats)
      timers.set(timer, () => RoomTimeout.clear(timer))
      return timer
    }
  const clear = (timer: unknown): void => {
    // A timer stands for its number, too.
    const known =
      typeof timer === "object"
        ? timer
        : timers.keys().find((each) => Number(each) === Number(timer))
    timers.delete(known)
    RoomTimeout.clear(known)
  }
  return {
    setTimeout: started(false),
    setInterval: started(true),
    clearTimeout: clear,
    clearInterval: clear,
    setImmediate: (task: Task, ...values: unknown[]) => {
      demand(task)
      const run = (): void => {
        timers.delete(immediate)
        inRoom(() => void Reflect.apply(task, immediate, values))
      }
      const immediate: RoomImmediate = new RoomImmediate({ task: run, values: [] })
      timers.set(immediate, () => RoomImmediate.clear(immediate))
      return immediate
    },
    clearImmediate: (immediate: unknown) => {
      timers.delete(immediate)
      RoomImmediate.clear(immediate)
    }
  }
}
