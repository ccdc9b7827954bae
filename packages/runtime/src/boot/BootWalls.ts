/**
 * The walls that `boot.ts` closes before it runs a bundle: what room code finds of Node, and what of
 * it no longer leads out. A part of boot's text (`BootSource.ts`): it loads Node's modules only.
 */
// An `import` would read all exports of these, and so load what is behind each: 40 ms of CPU for each room.
const { registerHooks, syncBuiltinESMExports } = process.getBuiltinModule("node:module")
const os = process.getBuiltinModule("node:os")
export const { format } = process.getBuiltinModule("node:util")
const { deserialize, serialize } = process.getBuiltinModule("node:v8")

const hrtime = process.hrtime.bind(process)
const origin = hrtime()
const originMs = Date.now()

/** Since the start of boot. Node's own `performance` takes a tenth of the start to load, and is no faster. */
const nowMs = (): number => {
  // No destructuring: room code may have replaced the iterator of arrays.
  const now = hrtime()
  return (now[0] - origin[0]) * 1000 + (now[1] - origin[1]) / 1_000_000
}

/**
 * Room code may replace what is global; these are the originals. Their timers are plain ones, as this
 * is no code of the service: a room's process has no Effect, and the timers are the room's own.
 */
export const Node = {
  setTimeout,
  setInterval,
  setImmediate,
  clearTimeout,
  clearInterval,
  clearImmediate,
  nowMs,
  nextTick: process.nextTick.bind(process),
  memoryUsage: process.memoryUsage.bind(process)
}

/** Writes one line to the room's log. */
type Log = (level: string, line: string) => void

/** Writes a line, and in `dev` the place of the code that called the function `by`. */
type LogFrom = (level: string, line: string, by: CallableFunction) => void

// Also of errors of another realm.
const { isError } = Error

export const stackOf = (error: unknown): string => {
  try {
    return isError(error) ? String(error.stack) : `thrown: ${String(error)}`
  } catch {
    return "an error that cannot be shown was thrown"
  }
}

export const messageOf = (error: unknown): string => {
  try {
    return isError(error) ? `${error.name}: ${error.message}` : String(error)
  } catch {
    return "an error that cannot be shown was thrown"
  }
}

const refusal = (what: string): Error =>
  Object.assign(new Error(`E_ROOM_IMPORT: ${what}: a room has no Node modules and no network`), {
    code: "E_ROOM_IMPORT"
  })

// A function expression: libraries call some of these with `new`.
export const refuse = (what: string) =>
  function refused(name?: unknown): never {
    throw refusal(typeof name === "string" ? `${what} of ${name.slice(0, 100)}` : what)
  }

// Texts that are split: one name a line would make this file twice as long.
export const names = (text: string): Set<string> => new Set(text.split(" "))

/** The part of the real `process` that Node's own code reads. Nothing of it acts on others. */
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
    "EventTarget SubtleCrypto TextDecoder TextEncoder URL URLSearchParams atob btoa " +
    "clearImmediate clearInterval clearTimeout crypto global queueMicrotask setImmediate " +
    "setInterval setTimeout"
)

/** There, so that who calls them learns why they do not act. */
export const UnreachableGlobals = ["fetch", "WebSocket", "EventSource", "XMLHttpRequest", "Worker"]

type NextTick = (task: Task, ...values: ReadonlyArray<unknown>) => void

/** The `process` that room code sees: enough for libraries that look at it, and nothing that acts. */
export const roomProcess = (log: Log, nextTick: NextTick = Node.nextTick): object => {
  const { version, platform, arch } = process
  return Object.freeze({
    env: Object.freeze({}),
    argv: Object.freeze([]),
    version,
    versions: Object.freeze({ node: process.versions.node }),
    platform,
    arch,
    cwd: () => "/",
    hrtime: Object.assign((since?: [number, number]) => hrtime(since), {
      bigint: () => hrtime.bigint()
    }),
    uptime: () => nowMs() / 1000,
    nextTick: (task: Task, ...values: ReadonlyArray<unknown>) => nextTick(task, ...values),
    memoryUsage: () => Node.memoryUsage(),
    emitWarning: (warning: unknown) => log("warn", format(warning))
  })
}

/** No marks: their details are copied by Node's own `structuredClone`. */
export const roomPerformance = (): object =>
  Object.freeze({ now: () => nowMs(), timeOrigin: originMs })

export const roomConsole = (log: Log, logFrom: LogFrom): object => {
  const at = (level: string) => {
    const say = (...values: ReadonlyArray<unknown>): void => logFrom(level, format(...values), say)
    return say
  }
  const nothing = (): void => {}
  return Object.freeze({
    log: at("info"),
    info: at("info"),
    dir: at("info"),
    table: at("info"),
    debug: at("debug"),
    warn: at("warn"),
    error: at("error"),
    group: at("info"),
    trace: (...values: ReadonlyArray<unknown>) =>
      log("debug", String(new Error(format(...values)).stack)),
    assert: (holds: unknown, ...values: ReadonlyArray<unknown>) => {
      if (!holds) log("error", `Assertion failed: ${format(...values)}`)
    },
    count: nothing,
    countReset: nothing,
    groupEnd: nothing,
    time: nothing,
    timeLog: nothing,
    timeEnd: nothing
  })
}

/** Node's own one holds a class of its native code under a symbol. */
const roomDecoder = (Real: typeof TextDecoder): object =>
  class TextDecoder {
    readonly #real: InstanceType<typeof Real>
    constructor(...settings: ConstructorParameters<typeof Real>) {
      this.#real = new Real(...settings)
    }
    get encoding(): string {
      return this.#real.encoding
    }
    get fatal(): boolean {
      return this.#real.fatal
    }
    get ignoreBOM(): boolean {
      return this.#real.ignoreBOM
    }
    get [Symbol.toStringTag](): string {
      return "TextDecoder"
    }
    decode(...values: Parameters<InstanceType<typeof Real>["decode"]>): string {
      return this.#real.decode(...values)
    }
  }

export type Task = (...values: ReadonlyArray<unknown>) => unknown

/** The callback of a timer, and its arguments. */
interface Call {
  readonly task: Task
  readonly values: ReadonlyArray<unknown>
}

/**
 * Gives a class what timers and immediates have in common. A base class would hand the real timer to
 * `super`, and room code may replace what a class extends.
 */
const addShared = <Timer extends object>(
  prototype: Timer,
  realOf: (timer: Timer) => NodeJS.Timeout | NodeJS.Immediate
): void => {
  const methods = {
    ref(this: Timer): Timer {
      realOf(this).ref()
      return this
    },
    unref(this: Timer): Timer {
      realOf(this).unref()
      return this
    },
    hasRef(this: Timer): boolean {
      return realOf(this).hasRef()
    },
    [Symbol.dispose](this: Timer): void {
      realOf(this)[Symbol.dispose]()
    }
  }
  for (const name of Reflect.ownKeys(methods)) {
    const value: unknown = Reflect.get(methods, name)
    Object.defineProperty(prototype, name, { value, writable: true, configurable: true })
  }
}

/**
 * Timers that keep Node's own ones to themselves: those are links of Node's lists of timers, and
 * Node hands them to their callbacks as `this`.
 */
export class RoomTimeout {
  static {
    addShared(this.prototype, (timer) => timer.#real)
  }
  readonly #real: NodeJS.Timeout
  constructor(call: Call, delayMs: number, repeats: boolean) {
    const start = repeats ? Node.setInterval : Node.setTimeout
    this.#real = start(runOf(call, this), delayMs)
  }
  static clear(timer: unknown): void {
    if (typeof timer === "number" || typeof timer === "string") Node.clearTimeout(timer)
    else if (isObject(timer) && #real in timer) Node.clearTimeout(timer.#real)
  }
  refresh(): this {
    this.#real.refresh()
    return this
  }
  close(): this {
    Node.clearTimeout(this.#real)
    return this
  }
  [Symbol.toPrimitive](): number {
    return Number(this.#real)
  }
}

/** As {@link RoomTimeout}. */
export class RoomImmediate {
  static {
    addShared(this.prototype, (timer) => timer.#real)
  }
  readonly #real: NodeJS.Immediate
  constructor(call: Call) {
    this.#real = Node.setImmediate(runOf(call, this))
  }
  static clear(immediate: unknown): void {
    if (isObject(immediate) && #real in immediate) Node.clearImmediate(immediate.#real)
  }
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

const runOf = ({ task, values }: Call, timer: object): (() => void) => {
  if (typeof task !== "function") throw new TypeError("The callback of a timer must be a function")
  return () => void Reflect.apply(task, timer, values)
}

const roomTimers = (): object => ({
  setTimeout: (task: Task, delayMs: number, ...values: ReadonlyArray<unknown>) =>
    new RoomTimeout({ task, values }, delayMs, false),
  setInterval: (task: Task, delayMs: number, ...values: ReadonlyArray<unknown>) =>
    new RoomTimeout({ task, values }, delayMs, true),
  setImmediate: (task: Task, ...values: ReadonlyArray<unknown>) =>
    new RoomImmediate({ task, values }),
  clearTimeout: RoomTimeout.clear,
  clearInterval: RoomTimeout.clear,
  clearImmediate: RoomImmediate.clear
})

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

/** Classes of Node that keep methods for Node's own use under symbols. */
const SweptClasses = names(
  "AbortController AbortSignal CustomEvent DOMException Event EventTarget QuotaExceededError " +
    "TextEncoder URL URLSearchParams"
)

/** Node's event targets do not work without these; the last one prints a value. */
const KeptSymbols = names(
  "kNewListener kRemoveListener kRemoveWeakListenerHelper nodejs.internal.kHybridDispatch " +
    "nodejs.event_target nodejs.util.inspect.custom"
)

/**
 * Deletes all other symbols of Node from those classes. A signal's symbols for messaging make a
 * `MessagePort`, and what a port sends may name any class of Node.
 */
const sweepSymbols = (): void => {
  const language = new Set(Reflect.ownKeys(Symbol).map((name) => Reflect.get(Symbol, name)))
  for (const name of SweptClasses) {
    const made: unknown = Reflect.get(globalThis, name)
    if (typeof made !== "function") continue
    for (const holder of [made, made.prototype]) {
      for (const symbol of Object.getOwnPropertySymbols(holder)) {
        if (language.has(symbol) || KeptSymbols.has(symbol.description ?? "")) continue
        Reflect.deleteProperty(holder, symbol)
      }
    }
  }
}

/**
 * A setter for a name that Node's own objects lack would be handed those objects, and so would a
 * `call` or `bind` of the room's own: Node's streams and its loader use them.
 */
const sealPrototypes = (socket: object): void => {
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

/** Closes all walls. `socket` is the one of fd 3: its classes are Node's streams and emitters. */
export const closeWalls = (socket: object, log: Log, logFrom: LogFrom): void => {
  registerHooks({
    resolve: (name) => {
      throw refusal(`import of ${name.slice(0, 100)}`)
    }
  })
  const shown = {
    process: roomProcess(log),
    console: roomConsole(log, logFrom),
    performance: roomPerformance(),
    structuredClone: roomClone,
    TextDecoder: roomDecoder(TextDecoder),
    ...roomTimers()
  }
  for (const name of Object.getOwnPropertyNames(process)) {
    if (!KeptOfProcess.has(name)) takeAway(process, name)
  }
  sweepSymbols()
  // They take a Blob and nothing else: Node ends the process over anything else.
  takeAway(URL, "createObjectURL")
  takeAway(URL, "revokeObjectURL")
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
  sealPrototypes(socket)
}
