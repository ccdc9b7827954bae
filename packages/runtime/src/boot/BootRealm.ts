/**
 * The realm of a room in a shared process. A part of boot's text (`BootSource.ts`).
 *
 * The functions of `realmText` run inside of the realm, by their text: they name nothing but each other and the language's
 * globals, which are the realm's own, and what they are given.
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
  begin(run: unknown, port: object, require: unknown): (kind: number, payload: Uint8Array) => void
  /** The same bytes as an array of the realm. */
  bytes(of: Uint8Array): Uint8Array
}

type Known = Map<unknown, unknown>

const bytesOf = (of: Uint8Array): Uint8Array =>
  new Uint8Array(of.buffer, of.byteOffset, of.byteLength)

const defineIn = (object: object, name: string, value: unknown): void => {
  Object.defineProperty(object, name, { value, writable: true, configurable: true })
}

/** Node's `Buffer`, but its instances are arrays of this realm, and its prototype is the room's own. */
const makeBuffer = (Real: typeof Buffer): unknown => {
  const parts = Object.getOwnPropertyDescriptors(Real.prototype)
  const prototype: object = Object.create(Uint8Array.prototype, parts)
  const own = (made: unknown): unknown =>
    Real.isBuffer(made) ? Object.setPrototypeOf(made, prototype) : made
  const owning = (act: unknown) =>
    function (this: unknown, ...values: ReadonlyArray<unknown>): unknown {
      if (typeof act !== "function") return undefined
      return own(Reflect.apply(act, this === RoomBuffer ? Real : this, values))
    }
  const RoomBuffer = function (value: unknown, ...more: ReadonlyArray<unknown>): unknown {
    if (typeof value === "number") return own(Real.alloc(value))
    return own(Reflect.apply(Reflect.get(Real, "from"), Real, [value, ...more]))
  }
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(Real))) {
    if (name === "prototype" || name === "length" || name === "name") continue
    defineIn(
      RoomBuffer,
      name,
      typeof value === "function" ? owning(value) : Reflect.get(Real, name)
    )
  }
  for (const name of ["slice", "subarray"]) {
    defineIn(prototype, name, owning(Reflect.get(Real.prototype, name)))
  }
  Object.setPrototypeOf(RoomBuffer, Uint8Array)
  RoomBuffer.prototype = prototype
  defineIn(RoomBuffer, "name", "Buffer")
  defineIn(
    RoomBuffer,
    "isBuffer",
    (value: unknown) => Object(value) instanceof Uint8Array && "readUInt8" in Object(value)
  )
  defineIn(prototype, "constructor", RoomBuffer)
  return RoomBuffer
}

/** Node's own one makes arrays of another realm. */
const makeEncoder = (real: TextEncoder): unknown =>
  class TextEncoder {
    get encoding(): string {
      return "utf-8"
    }
    get [Symbol.toStringTag](): string {
      return "TextEncoder"
    }
    encode(text = ""): Uint8Array {
      return bytesOf(real.encode(text))
    }
    encodeInto(text: string, into: Uint8Array): unknown {
      return real.encodeInto(text, into)
    }
  }

const uncloneable = (what: string): Error => {
  const error = new Error(`${what} could not be cloned.`)
  error.name = "DataCloneError"
  return error
}

/** Node's own `structuredClone` makes values of another realm. */
const cloneOf = (value: unknown, known: Known): unknown => {
  if (typeof value === "function" || typeof value === "symbol") throw uncloneable(String(value))
  if (typeof value !== "object" || value === null) return value
  if (known.has(value)) return known.get(value)
  const keep = <Copy>(copy: Copy): Copy => {
    known.set(value, copy)
    return copy
  }
  if (value instanceof Date) return keep(new Date(value.getTime()))
  if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags))
  if (value instanceof ArrayBuffer) return keep(value.slice(0))
  if (value instanceof Boolean || value instanceof Number || value instanceof String) {
    return keep(Object(value.valueOf()))
  }
  if (ArrayBuffer.isView(value)) return keep(viewClone(value, known))
  if (value instanceof Error) return keep(errorClone(value, known))
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
  const tag = Object.prototype.toString.call(value).slice(8, -1)
  if (!Array.isArray(value) && tag !== "Object") throw uncloneable(`#<${tag}>`)
  const copy: object = keep(Array.isArray(value) ? Array.from({ length: 0 }) : {})
  if (Array.isArray(value)) Reflect.set(copy, "length", value.length)
  for (const [name, item] of Object.entries(value)) Reflect.set(copy, name, cloneOf(item, known))
  return copy
}

/** Views of one buffer are views of one copy of it. */
const viewClone = (view: ArrayBufferView, known: Known): unknown => {
  const { buffer, byteOffset, byteLength } = view
  const copied = known.get(buffer) ?? buffer.slice(0)
  known.set(buffer, copied)
  const Kind: unknown = Reflect.get(globalThis, Object.prototype.toString.call(view).slice(8, -1))
  const length = byteLength / (Number(Reflect.get(view, "BYTES_PER_ELEMENT")) || 1)
  if (typeof Kind !== "function") throw uncloneable("a view")
  return Reflect.construct(Kind, [copied, byteOffset, length])
}

const errorClone = (error: Error, known: Known): Error => {
  const named: unknown = Reflect.get(globalThis, error.name)
  const isNamed = typeof named === "function" && named.prototype instanceof Error
  const copy: Error = Reflect.construct(isNamed ? named : Error, [error.message])
  defineIn(copy, "stack", error.stack)
  if ("cause" in error) defineIn(copy, "cause", cloneOf(error.cause, known))
  return copy
}

const cloneValue = (
  value: unknown,
  settings?: { readonly transfer?: Iterable<ArrayBuffer> }
): unknown => {
  const copy = cloneOf(value, new Map())
  for (const buffer of settings?.transfer ?? []) buffer.transfer()
  return copy
}

const makeQueue = (soon: RealmHost["soon"]) => {
  const settled = Promise.resolve()
  return (task: unknown): void => {
    if (typeof task !== "function") throw new TypeError("The callback must be a function")
    void settled.then(() => soon(() => void task()))
  }
}

/** Runs a bundle, as boot does in a process for one room. */
const beginBundle: Inside["begin"] = (run, port, require) => {
  const module: { readonly exports: object } = { exports: {} }
  if (typeof run === "function") run(module.exports, require, module)
  const connect: unknown = Reflect.get(module.exports, "connect")
  if (typeof connect !== "function") throw new Error("the bundle has no connect()")
  const receive: unknown = connect(port, Reflect.get(module.exports, "rooms"))
  if (typeof receive !== "function") throw new Error("the bundle's connect() gave no receiver")
  return (kind, payload) => void receive(kind, bytesOf(payload))
}

/** Gives a realm the globals of a room. */
const furnish = (host: RealmHost): Inside => {
  // `gc` cannot be deleted; an undefined one does not act.
  Reflect.set(globalThis, "gc", undefined)
  Reflect.deleteProperty(WebAssembly, "compileStreaming")
  Reflect.deleteProperty(WebAssembly, "instantiateStreaming")
  for (const name of host.shared) {
    const get = (): unknown => host.sharedGlobal(name)
    const set = (value: unknown): void => defineIn(globalThis, name, value)
    Object.defineProperty(globalThis, name, { get, set, configurable: true })
  }
  for (const [name, value] of Object.entries(host.shown)) defineIn(globalThis, name, value)
  defineIn(globalThis, "global", globalThis)
  defineIn(globalThis, "Buffer", makeBuffer(host.RealBuffer))
  defineIn(globalThis, "TextEncoder", makeEncoder(host.encoder))
  defineIn(globalThis, "structuredClone", cloneValue)
  defineIn(globalThis, "queueMicrotask", makeQueue(host.soon))
  return { begin: beginBundle, bytes: bytesOf }
}

/** A script whose value is `furnish` of the realm that runs it. */
export const realmText = (): string => {
  const parts = {
    bytesOf,
    defineIn,
    makeBuffer,
    makeEncoder,
    uncloneable,
    cloneOf,
    viewClone,
    errorClone,
    cloneValue,
    makeQueue,
    beginBundle,
    furnish
  }
  const lines = Object.entries(parts).map(([name, part]) => `const ${name} = ${String(part)}`)
  return `(() => {\n${lines.join("\n")}\nreturn furnish\n})()`
}
