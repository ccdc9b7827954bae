/** A part of a room's state as a tree shows it. */
export type StateNode =
  | { readonly _tag: "Value"; readonly name: string; readonly text: string }
  | {
      readonly _tag: "Branch"
      readonly name: string
      readonly count: number
      /** What is in it, on one line. */
      readonly preview: string
      /** The first ones of what is in it. Made when somebody looks: a collection may have ten thousand. */
      readonly children: (max: number) => ReadonlyArray<StateNode>
    }

/** Signs of a text that a node holds. */
const textMax = 4000
const [previewMax, previewParts] = [120, 12]
const bytesShown = 32

/** The nodes of the parts of a room's state. */
export const nodesOf = (state: object): ReadonlyArray<StateNode> =>
  Object.entries(state).map((part) => nodeOf(...part))

/** A node of a value as `readSave` gives it: plain values, records, structs, maps, lists, collections of entities. */
export const nodeOf = (name: string, value: unknown): StateNode => {
  const parts = partsOf(value)
  if (parts === null) return { _tag: "Value", name, text: textOf(value) }
  return {
    _tag: "Branch",
    name,
    count: parts.count,
    preview: previewOf(parts),
    children: (max) => parts.first(max).map((part) => nodeOf(...part))
  }
}

export type Part = readonly [name: string, value: unknown]

export interface Parts {
  readonly count: number
  readonly first: (max: number) => ReadonlyArray<Part>
}

/** The parts of a value, by name; `null` = it has none. */
export const partsOf = (value: unknown): Parts | null => {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return null
  if (Array.isArray(value)) return partsOfList(value)
  if (isSized(value)) {
    const partOf = "keys" in value ? partOfMap : partOfCollection
    return { count: value.size, first: (max) => firstOf(value, max).map(partOf) }
  }
  const fields = Object.entries(valuesOf(value))
  return { count: fields.length, first: (max) => fields.slice(0, max) }
}

const partsOfList = (list: ReadonlyArray<unknown>): Parts => ({
  count: list.length,
  first: (max) => list.slice(0, max).map((one, at) => [String(at), one])
})

type Sized = Iterable<unknown> & { readonly size: number }

/** A map or a collection. Only these are iterated by themselves, whatever the fields of a struct are called. */
const isSized = (value: object): value is Sized => Symbol.iterator in value

const firstOf = (values: Iterable<unknown>, max: number): ReadonlyArray<unknown> => {
  const found: Array<unknown> = []
  for (const value of values) {
    if (found.length === max) break
    found.push(value)
  }
  return found
}

const partOfMap = (pair: unknown): Part => {
  const [key, value] = Object(pair)
  // A name is whole, so that no two keys have one.
  return [typeof key === "string" ? JSON.stringify(key) : textOf(key), value]
}

/** An entity is known by its id. */
const partOfCollection = (row: unknown): Part => {
  const { id, ...values } = valuesOf(Object(row))
  return [`#${String(id)}`, values]
}

/** The values by name of a record, which tells them, or of a struct, which has them. */
const valuesOf = (record: object): Readonly<Record<string, unknown>> => {
  const tell: unknown = Reflect.get(record, "toJSON")
  return typeof tell === "function" ? Object(tell.call(record)) : { ...record }
}

/** A value without parts, as a tree shows it. */
export const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return "none"
  if (typeof value === "string") return JSON.stringify(value.slice(0, textMax))
  if (typeof value === "number") return textOfNumber(value)
  return value instanceof Uint8Array ? textOfBytes(value) : String(value)
}

/** A number of 32 bits with as many digits as tell it from its neighbours: 0.1, and not 0.10000000149011612. */
const textOfNumber = (value: number): string => {
  if (Number.isInteger(value) || Math.fround(value) !== value) return String(value)
  const digits = [6, 7, 8].find((each) => Math.fround(Number(value.toPrecision(each))) === value)
  return String(digits === undefined ? value : Number(value.toPrecision(digits)))
}

const textOfBytes = (bytes: Uint8Array): string => {
  const shown = Array.from(bytes.subarray(0, bytesShown), (byte) =>
    byte.toString(16).padStart(2, "0")
  ).join(" ")
  const rest = bytes.length > bytesShown ? " …" : ""
  return `${bytes.length} ${bytes.length === 1 ? "byte" : "bytes"}: ${shown}${rest}`
}

/** What is in a value that has parts, on one line. */
export const previewOf = ({ count, first }: Parts): string => {
  let text = ""
  for (const [name, value] of first(previewParts)) {
    const part = partsOf(value) === null ? textOf(value) : "…"
    text += `${text === "" ? "" : ", "}${name}: ${part}`
    if (text.length > previewMax) return `${text.slice(0, previewMax)} …`
  }
  return count > previewParts ? `${text}, …` : text
}
