import type { FieldDescriptor, NamedFieldDescriptor } from "@atrium/wire/schema"

/** The type of a field's values, as TypeScript writes it. */
const typeText = (field: FieldDescriptor): string => {
  const { kind, of, key, value } = field
  switch (kind) {
    case "bool":
      return "boolean"
    case "string":
      return "string"
    case "bytes":
      return "Uint8Array"
    case "enum":
      return (field.choices ?? []).map((choice) => JSON.stringify(choice)).join(" | ")
    case "list":
      return of === undefined ? "unknown" : `ReadonlyArray<${typeText(of)}>`
    case "struct":
      return `{ ${(field.fields ?? []).map(memberText).join("; ")} }`
    case "map":
      return `ReadonlyMap<${key ? typeText(key) : "unknown"}, ${value ? typeText(value) : "unknown"}>`
    case "optional":
      return of === undefined ? "unknown" : `${typeText(of)} | undefined`
    case "u8":
    case "i8":
    case "u16":
    case "i16":
    case "u32":
    case "i32":
    case "f32":
    case "f64":
    case "quantised":
    case "ref":
      return "number"
    default:
      return "unknown"
  }
}

/** The member of an interface for the values of a field. */
export const memberText = ({ name, ...field }: NamedFieldDescriptor): string =>
  `readonly ${name}${field.kind === "optional" ? "?" : ""}: ${typeText(field)}`

/** The default of a field, as TypeScript writes it. */
export const defaultText = (field: FieldDescriptor): string => {
  const { kind, choices = [], default: given } = field
  switch (kind) {
    case "bool":
      return String(given ?? false)
    case "string":
      return JSON.stringify(given ?? "")
    case "bytes":
      return bytesText(given)
    case "enum":
      return JSON.stringify(choices[0] ?? "")
    case "list":
      return listText(field)
    case "struct":
      return structText(field.fields ?? [])
    case "map":
      return "new Map()"
    case "optional":
      return "undefined"
    default:
      return JSON.stringify(given ?? 0)
  }
}

const structText = (fields: ReadonlyArray<NamedFieldDescriptor>): string =>
  `{ ${fields.map(({ name, ...field }) => `${name}: ${defaultText(field)}`).join(", ")} }`

const bytesText = (hex: unknown): string => {
  const bytes = typeof hex === "string" ? Buffer.from(hex, "hex") : []
  return bytes.length === 0 ? "new Uint8Array()" : `Uint8Array.of(${bytes.join(", ")})`
}

const listText = ({ of, default: items }: FieldDescriptor): string =>
  `[${(Array.isArray(items) ? items : [])
    .map((item: unknown) => (of?.kind === "bytes" ? bytesText(item) : JSON.stringify(item)))
    .join(", ")}]`
