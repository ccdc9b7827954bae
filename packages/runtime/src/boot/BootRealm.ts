/**
 * The realm of a room in a shared process. A part of boot's text (`BootSource.ts`).
 */
import { names } from "./BootWalls.ts"

/** Globals of Node that are the same objects in all rooms of a process, where none can change them. */
export const SharedGlobals: ReadonlySet<string> = names(
  "AbortController AbortSignal Crypto CryptoKey CustomEvent DOMException Event EventTarget SubtleCrypto " +
    "TextDecoder URL URLSearchParams atob btoa crypto"
)

/** What a realm gets of its process. */
interface RealmHost {
  readonly shown: Readonly<Record<string, unknown>>
  readonly shared: ReadonlyArray<string>
  sharedGlobal(name: string): unknown
  readonly RealBuffer: typeof Buffer
  readonly encoder: TextEncoder
  /** Runs code of the room. */
  soon(task: () => void): void
}

/** What the process gets of a realm. */
export interface Inside {
  /** Runs the bundle's code. @returns the receiver of its frames */
  begin(
    run: unknown,
    port: object,
    require: unknown
  ): (kind: number, buffer: ArrayBufferLike, at: number, length: number) => void
  /** The same bytes as an array of the realm. */
  bytes(of: Uint8Array): Uint8Array
}

/**
 * Gives a realm the globals of a room. Its text runs inside of the realm: it names nothing but the language's globals,
 * which are the realm's own, and what it is given.
 */
export const furnish = (host: RealmHost): Inside => {
  const define = (name: string, value: unknown): void => {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true })
  }
  const bytesOf = (of: Uint8Array): Uint8Array =>
    new Uint8Array(of.buffer, of.byteOffset, of.byteLength)

  /** Node's, but its instances are arrays of this realm, and its prototype is the room's own. */
  const makeBuffer = (Real: typeof Buffer): unknown => {
    const parts = Object.getOwnPropertyDescriptors(Real.prototype)
    const prototype: object = Object.create(Uint8Array.prototype, parts)
    const own = (made: unknown): unknown =>
      typeof made === "object" && made !== null && Real.isBuffer(made)
        ? Object.setPrototypeOf(made, prototype)
        : made
    const owning = (act: unknown) =>
      function (this: unknown, ...values: ReadonlyArray<unknown>): unknown {
        if (typeof act !== "function") return undefined
        return own(Reflect.apply(act, this === RoomBuffer ? Real : this, values))
      }
    const RoomBuffer = function (value: unknown, ...more: ReadonlyArray<unknown>): unknown {
      return own(
        typeof value === "number"
          ? Real.alloc(value)
          : Reflect.apply(Reflect.get(Real, "from"), Real, [value, ...more])
      )
    }
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(Real))) {
      if (name === "prototype" || name === "length" || name === "name") continue
      const kept: unknown = typeof value === "function" ? owning(value) : Reflect.get(Real, name)
      Object.defineProperty(RoomBuffer, name, { value: kept, writable: true, configurable: true })
    }
    for (const name of ["slice", "subarray"]) {
      Object.defineProperty(prototype, name, {
        value: owning(Reflect.get(Real.prototype, name)),
        writable: true,
        configurable: true
      })
    }
    Object.setPrototypeOf(RoomBuffer, Uint8Array)
    Object.defineProperty(RoomBuffer, "prototype", { value: prototype })
    Object.defineProperty(RoomBuffer, "name", { value: "Buffer" })
    const isBuffer = (value: unknown): boolean =>
      typeof value === "object" &&
      value !== null &&
      Object.hasOwn(Object.getPrototypeOf(value) ?? {}, "readUInt8")
    Object.defineProperty(RoomBuffer, "isBuffer", { value: isBuffer })
    Object.defineProperty(prototype, "constructor", {
      value: RoomBuffer,
      writable: true,
      configurable: true
    })
    return RoomBuffer
  }

  class TextEncoder {
    get encoding(): string {
      return "utf-8"
    }
    get [Symbol.toStringTag](): string {
      return "TextEncoder"
    }
    encode(text = ""): Uint8Array {
      return bytesOf(host.encoder.encode(text))
    }
    encodeInto(text: string, into: Uint8Array): unknown {
      return host.encoder.encodeInto(text, into)
    }
  }

  const uncloneable = (what: string): Error => {
    const error = new Error(`${what} could not be cloned.`)
    error.name = "DataCloneError"
    return error
  }

  /** Node's own one makes values of another realm. */
  const cloneOf = (value: unknown, known: Map<unknown, unknown>): unknown => {
    if (typeof value === "function" || typeof value === "symbol") throw uncloneable(String(value))
    if (typeof value !== "object" || value === null) return value
    if (known.has(value)) return known.get(value)
    const keep = <Copy>(copy: Copy): Copy => {
      known.set(value, copy)
      return copy
    }
    if (value instanceof Date) return keep(new Date(value.getTime()))
    if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags))
    if (value instanceof Boolean || value instanceof Number || value instanceof String) {
      return keep(Object(value.valueOf()))
    }
    if (value instanceof ArrayBuffer) return keep(value.slice(0))
    if (ArrayBuffer.isView(value)) {
      const { buffer, byteOffset, byteLength } = value
      const Kind: unknown = Reflect.get(
        globalThis,
        Object.prototype.toString.call(value).slice(8, -1)
      )
      const copied = keptBuffer(buffer, known)
      const length = byteLength / (Number(Reflect.get(value, "BYTES_PER_ELEMENT")) || 1)
      return keep(
        typeof Kind === "function" ? Reflect.construct(Kind, [copied, byteOffset, length]) : value
      )
    }
    if (value instanceof Map) {
      const copy = keep(new Map())
      for (const [key, item] of value) copy.set(cloneOf(key, known), cloneOf(item, known))
      return copy
    }
    if (value instanceof Set) {
      const copy = keep(new Set())
      for (const item of value) copy.add(cloneOf(item, known))
      return copy
    }
    if (value instanceof Error) {
      const named: unknown = Reflect.get(globalThis, value.name)
      const isError = typeof named === "function" && named.prototype instanceof Error
      const copy: Error = Reflect.construct(isError ? named : Error, [value.message])
      Object.defineProperty(copy, "stack", {
        value: value.stack,
        writable: true,
        configurable: true
      })
      if ("cause" in value) {
        const cause = cloneOf(value.cause, known)
        Object.defineProperty(copy, "cause", { value: cause, writable: true, configurable: true })
      }
      return keep(copy)
    }
    const tag = Object.prototype.toString.call(value)
    if (!Array.isArray(value) && tag !== "[object Object]")
      throw uncloneable(`#<${tag.slice(8, -1)}>`)
    const copy: object = keep(Array.isArray(value) ? new Array(value.length) : {})
    for (const [name, item] of Object.entries(value)) Reflect.set(copy, name, cloneOf(item, known))
    return copy
  }

  const keptBuffer = (buffer: ArrayBufferLike, known: Map<unknown, unknown>): unknown => {
    const copied = known.get(buffer) ?? buffer.slice(0)
    known.set(buffer, copied)
    return copied
  }

  const clone = (
    value: unknown,
    settings?: { readonly transfer?: Iterable<ArrayBuffer> }
  ): unknown => {
    const copy = cloneOf(value, new Map())
    for (const buffer of settings?.transfer ?? []) buffer.transfer()
    return copy
  }

  const { soon } = host
  const settled = Promise.resolve()
  const queueMicrotask = (task: unknown): void => {
    if (typeof task !== "function") throw new TypeError("The callback must be a function")
    void settled.then(() => soon(() => void task()))
  }

  // `gc` cannot be deleted; an undefined one does not act.
  Reflect.set(globalThis, "gc", undefined)
  Reflect.deleteProperty(WebAssembly, "compileStreaming")
  Reflect.deleteProperty(WebAssembly, "instantiateStreaming")
  for (const name of host.shared) {
    const get = (): unknown => host.sharedGlobal(name)
    const set = (value: unknown): void => define(name, value)
    Object.defineProperty(globalThis, name, { get, set, configurable: true })
  }
  for (const [name, value] of Object.entries(host.shown)) define(name, value)
  define("global", globalThis)
  define("Buffer", makeBuffer(host.RealBuffer))
  define("TextEncoder", TextEncoder)
  define("structuredClone", clone)
  define("queueMicrotask", queueMicrotask)

  return {
    begin: (run, port, require) => {
      const module: { readonly exports: object } = { exports: {} }
      if (typeof run === "function") run(module.exports, require, module)
      const connect: unknown = Reflect.get(module.exports, "connect")
      if (typeof connect !== "function") throw new Error("the bundle has no connect()")
      const receive: unknown = connect(port, Reflect.get(module.exports, "rooms"))
      if (typeof receive !== "function") throw new Error("the bundle's connect() gave no receiver")
      return (kind, buffer, at, length) => void receive(kind, new Uint8Array(buffer, at, length))
    },
    bytes: bytesOf
  }
}
