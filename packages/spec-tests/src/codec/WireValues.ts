/** Descriptor, values, records and hashes as somebody writes them from docs/protocol.md alone. */

export interface Field {
  readonly name?: string
  readonly kind: string
  readonly min?: number
  readonly max?: number
  readonly step?: number
  readonly choices?: ReadonlyArray<string>
  readonly of?: Field
  readonly key?: Field
  readonly value?: Field
  readonly fields?: ReadonlyArray<Field>
  readonly default?: unknown
}

export interface Shape {
  readonly name: string
  readonly fields: ReadonlyArray<Field>
}

/** Of a message, arguments or an answer. */
export type Payload = ReadonlyArray<Field> | "untyped"

export interface Descriptor {
  readonly singletons: ReadonlyArray<Shape>
  readonly entities: ReadonlyArray<Shape>
  readonly messages: ReadonlyArray<{
    readonly name: string
    readonly fields?: ReadonlyArray<Field>
  }>
  readonly rpc: Readonly<
    Record<
      "client" | "server",
      ReadonlyArray<{ readonly name: string; readonly args?: Payload; readonly returns?: Payload }>
    >
  >
  readonly player: ReadonlyArray<Field>
}

export type Row = Record<string, unknown>

const encoder = new TextEncoder()
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** FNV-1a, 64 bits, as 16 lower-case hex digits. */
export const fnv1a64 = (bytes: Uint8Array): string => {
  let hash = 0xcbf29ce484222325n
  for (const byte of bytes) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n)
  return hash.toString(16).padStart(16, "0")
}

/** The order in which the keys of a map are written for the hash. */
const hashedKeys = [
  "name",
  "kind",
  "min",
  "max",
  "step",
  "maxBytes",
  "choices",
  "collection",
  "of",
  "maxLength",
  "key",
  "value",
  "maxEntries",
  "default",
  "fields",
  "args",
  "returns"
]

const inHashOrder = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(inHashOrder)
  if (typeof value !== "object" || value === null) return value
  const found = new Map(Object.entries(value))
  return Object.fromEntries(
    hashedKeys.filter((key) => found.has(key)).map((key) => [key, inHashOrder(found.get(key))])
  )
}

/** The hash of a descriptor, which a hello names. */
export const schemaHashOf = ({
  singletons,
  entities,
  messages,
  rpc,
  player
}: Descriptor): string => {
  const layout = {
    singletons: inHashOrder(singletons),
    entities: inHashOrder(entities),
    messages: inHashOrder(messages),
    rpc: { client: inHashOrder(rpc.client), server: inHashOrder(rpc.server) },
    player: inHashOrder(player)
  }
  return fnv1a64(encoder.encode(JSON.stringify(layout)))
}

/** Bytes with a place in them. */
export class Bytes {
  #at = 0
  readonly #bytes: Uint8Array
  readonly view: DataView

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  }

  get left(): number {
    return this.#bytes.length - this.#at
  }

  skip(count: number): number {
    if (count > this.left) throw new Error(`${count} bytes are missing`)
    this.#at += count
    return this.#at - count
  }

  take(count: number): Uint8Array {
    const from = this.skip(count)
    return this.#bytes.slice(from, from + count)
  }

  varuint(): number {
    for (let value = 0, factor = 1; ; factor *= 0x80) {
      const byte = this.view.getUint8(this.skip(1))
      value += (byte & 0x7f) * factor
      if (byte < 0x80) return value
    }
  }
}

export const writeVaruint = (out: Array<number>, value: number): void => {
  for (; value >= 0x80; value = Math.floor(value / 0x80)) out.push((value % 0x80) + 0x80)
  out.push(value)
}

/** Kinds of a fixed size: the method of DataView, and the bytes. */
const fixed: Readonly<Record<string, readonly [name: string, byteCount: number]>> = {
  u8: ["Uint8", 1],
  i8: ["Int8", 1],
  u16: ["Uint16", 2],
  i16: ["Int16", 2],
  u32: ["Uint32", 4],
  i32: ["Int32", 4],
  f32: ["Float32", 4],
  f64: ["Float64", 8]
}

const readFixed = (bytes: Bytes, kind: string): number => {
  const [name, byteCount] = fixed[kind] ?? ["", 0]
  return Number(Reflect.get(bytes.view, `get${name}`).call(bytes.view, bytes.skip(byteCount), true))
}

const writeFixed = (out: Array<number>, kind: string, value: number): void => {
  const [name, byteCount] = fixed[kind] ?? ["", 0]
  const view = new DataView(new ArrayBuffer(byteCount))
  // A tiny negative f32 rounds to -0, which is written as 0.
  const rounded = kind === "f32" ? Math.fround(value) : value
  Reflect.get(view, `set${name}`).call(view, 0, rounded + 0, true)
  out.push(...new Uint8Array(view.buffer))
}

const quantised = ({ min = 0, max = 0, step = 1 }: Field) => {
  const steps = Math.round((max - min) / step)
  return { min, max, steps, kind: steps <= 0xff ? "u8" : steps <= 0xffff ? "u16" : "u32" }
}

/** What a kind holds: a list its items, an optional its value, a map its values. */
export const itemOf = (field: Field): Field => field.of ?? field.value ?? { kind: "u8" }

/** What entries of a map are found by. */
export const keyOf = (field: Field): Field => field.key ?? { kind: "u8" }

export const readField = (bytes: Bytes, field: Field): unknown => {
  switch (field.kind) {
    case "bool":
      return readFixed(bytes, "u8") === 1
    case "enum":
      return field.choices?.[readFixed(bytes, "u8")]
    case "ref":
      return bytes.varuint()
    case "quantised": {
      const { min, max, steps, kind } = quantised(field)
      const k = readFixed(bytes, kind)
      return k === steps ? max : min + (k * (max - min)) / steps
    }
    case "string":
      return decoder.decode(bytes.take(bytes.varuint()))
    case "bytes":
      return bytes.take(bytes.varuint())
    case "list":
      return Array.from({ length: bytes.varuint() }, () => readField(bytes, itemOf(field)))
    case "map": {
      const entries = Array.from({ length: bytes.varuint() }, () => {
        const key = readField(bytes, keyOf(field))
        return [key, readField(bytes, itemOf(field))] as const
      })
      return new Map(entries)
    }
    case "struct":
      return readRow(bytes, field.fields ?? [], {})
    case "optional":
      return readFixed(bytes, "u8") === 0 ? undefined : readField(bytes, itemOf(field))
    default:
      return readFixed(bytes, field.kind)
  }
}

const writeField = (out: Array<number>, field: Field, value: unknown): void => {
  switch (field.kind) {
    case "bool":
      return void out.push(value === true ? 1 : 0)
    case "enum":
      return void out.push(field.choices?.indexOf(String(value)) ?? 0)
    case "ref":
      return writeVaruint(out, Number(value))
    case "quantised": {
      const { min, max, steps, kind } = quantised(field)
      const k = Math.floor(((Number(value) - min) / (max - min)) * steps + 0.5)
      return writeFixed(out, kind, k)
    }
    case "string":
    case "bytes": {
      const raw = value instanceof Uint8Array ? value : encoder.encode(String(value))
      writeVaruint(out, raw.length)
      for (const byte of raw) out.push(byte)
      return
    }
    case "list": {
      const items = Array.isArray(value) ? value : []
      writeVaruint(out, items.length)
      for (const item of items) writeField(out, itemOf(field), item)
      return
    }
    case "map": {
      const entries = [...new Map<unknown, unknown>(Object(value))]
      writeVaruint(out, entries.length)
      for (const [key, held] of entries) {
        writeField(out, keyOf(field), key)
        writeField(out, itemOf(field), held)
      }
      return
    }
    case "struct":
      return writeRow(out, field.fields ?? [], Object(value))
    case "optional": {
      const absent = value === undefined || value === null
      out.push(absent ? 0 : 1)
      return absent ? undefined : writeField(out, itemOf(field), value)
    }
    default:
      writeFixed(out, field.kind, Number(value))
  }
}

/** The value of a field that nobody has set: `default`, or what its absence stands for. */
export const defaultOf = (field: Field): unknown => {
  const given = field.default
  const raw = (hex: unknown): Uint8Array =>
    Uint8Array.from(String(hex).match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
  switch (field.kind) {
    case "bool":
      return given ?? false
    case "enum":
      return field.choices?.[0]
    case "string":
      return given ?? ""
    case "bytes":
      return raw(given ?? "")
    case "list":
      return Array.isArray(given) && field.of?.kind === "bytes" ? given.map(raw) : (given ?? [])
    case "map":
      return new Map()
    case "struct":
      return defaultsOf(field.fields ?? [])
    case "optional":
      return undefined
    default:
      return given ?? 0
  }
}

/** A record that nobody has set. */
export const defaultsOf = (fields: ReadonlyArray<Field>): Row =>
  Object.fromEntries(fields.map((field) => [field.name ?? "", defaultOf(field)]))

/** A message, arguments or an answer. A field that the value lacks has its default. */
export const packRecord = (fields: ReadonlyArray<Field>, value: Row): Uint8Array => {
  const out: Array<number> = []
  writeRow(out, fields, value)
  return Uint8Array.from(out)
}

export const unpackRecord = (fields: ReadonlyArray<Field>, packed: Uint8Array): Row => {
  const bytes = new Bytes(packed)
  const row = readRow(bytes, fields, {})
  if (bytes.left > 0) throw new Error("a record has bytes too many")
  return row
}

/** All fields of a record; of what it lacks the default. */
export const writeRow = (out: Array<number>, fields: ReadonlyArray<Field>, row: Row): void => {
  for (const field of fields) writeField(out, field, row[field.name ?? ""] ?? defaultOf(field))
}

/** The values of some fields, in order, put into a row. */
export const readRow = (bytes: Bytes, fields: ReadonlyArray<Field>, row: Row): Row => {
  for (const field of fields) row[field.name ?? ""] = readField(bytes, field)
  return row
}
