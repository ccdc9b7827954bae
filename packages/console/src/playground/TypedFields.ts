import type { FieldDescriptor, NamedFieldDescriptor } from "@atrium/sdk/schema"

/** How a field is typed: a box, a choice, a line of text, or JSON. */
export type Input =
  | { readonly _tag: "Flag" }
  | { readonly _tag: "Choice"; readonly choices: ReadonlyArray<string> }
  | { readonly _tag: "Number" }
  | { readonly _tag: "Text" }
  | { readonly _tag: "Bytes" }
  | { readonly _tag: "Json" }

const numbers = new Set(["u8", "i8", "u16", "i16", "u32", "i32", "f32", "f64", "quantised", "ref"])

export const inputOf = (field: FieldDescriptor): Input => {
  if (field.kind === "bool") return { _tag: "Flag" }
  if (field.kind === "enum") return { _tag: "Choice", choices: field.choices ?? [] }
  if (numbers.has(field.kind)) return { _tag: "Number" }
  if (field.kind === "string") return { _tag: "Text" }
  return field.kind === "bytes" ? { _tag: "Bytes" } : { _tag: "Json" }
}

/** What a field holds at first, as it is typed. */
export const firstText = (field: FieldDescriptor): string => {
  const { kind, default: given } = field
  if (kind === "list") return "[]"
  if (kind === "map") return "[]"
  if (kind === "optional") return "null"
  if (kind === "struct") return JSON.stringify(firstOf(field.fields ?? []))
  if (given !== undefined) return String(given)
  return kind === "bool" ? "false" : (field.choices?.[0] ?? (numbers.has(kind) ? "0" : ""))
}

const firstOf = (fields: ReadonlyArray<NamedFieldDescriptor>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(fields.map((field) => [field.name, valueOf(field, firstText(field))]))

/** What a field takes, in the words of its schema: `u8`, `at most 64 bytes`. */
export const formText = ({ kind, maxBytes, min, max }: FieldDescriptor): string => {
  if (maxBytes !== undefined) return `${kind}, at most ${maxBytes} bytes`
  return min === undefined || max === undefined ? kind : `${kind}, ${min} to ${max}`
}

/** Throws an `Error` that names the field. The client judges what comes of it once more. */
export const valueOf = (field: NamedFieldDescriptor, text: string): unknown => {
  switch (inputOf(field)._tag) {
    case "Flag":
      return text === "true"
    case "Number":
      return text.trim() === "" ? Number.NaN : Number(text)
    case "Bytes":
      return bytesOf(field.name, text)
    case "Json":
      return fromJson(field, jsonOf(field.name, text))
    case "Choice":
    case "Text":
      return text
  }
}

/** A value of any type, typed as JSON; an empty text is `null`. */
export const untypedOf = (text: string): unknown =>
  text.trim() === "" ? null : jsonOf("value", text)

const bytesOf = (name: string, text: string): Uint8Array => {
  const hex = text.replaceAll(/\s/g, "")
  if (!/^(?:[0-9a-f]{2})*$/i.test(hex)) throw new Error(`${name}: must be hexadecimal`)
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

const jsonOf = (name: string, text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`${name}: must be JSON`)
  }
}

/** JSON knows neither maps nor absent values: a map is a list of pairs, an absent value `null`. */
const fromJson = (field: FieldDescriptor, value: unknown): unknown => {
  if (field.kind === "optional") {
    return value === null || field.of === undefined ? undefined : fromJson(field.of, value)
  }
  if (field.kind === "map" && Array.isArray(value)) {
    const { key, value: held } = field
    return new Map(
      value.map((pair) => {
        const [name, one] = Array.isArray(pair) ? pair : []
        return [
          key === undefined ? name : fromJson(key, name),
          held === undefined ? one : fromJson(held, one)
        ]
      })
    )
  }
  const { of } = field
  if (field.kind === "list" && Array.isArray(value) && of !== undefined) {
    return value.map((one) => fromJson(of, one))
  }
  if (field.kind === "struct" && typeof value === "object" && value !== null) {
    const kinds = new Map(field.fields?.map((one) => [one.name, one]))
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => {
        const kind = kinds.get(name)
        return [name, kind === undefined ? one : fromJson(kind, one)]
      })
    )
  }
  if (field.kind === "bytes" && typeof value === "string") return bytesOf("bytes", value)
  return value
}
