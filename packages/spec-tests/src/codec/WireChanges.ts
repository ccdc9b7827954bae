import { type Bytes, type Field, itemOf, keyOf, readField, type Row } from "./WireValues.ts"

/** Deltas of values, as somebody writes them from docs/protocol.md alone. */

/** The fields whose bit is set. */
export const readMask = (bytes: Bytes, fields: ReadonlyArray<Field>): ReadonlyArray<Field> => {
  const mask = bytes.take(Math.ceil(fields.length / 8))
  return fields.filter((_, index) => ((mask[index >> 3] ?? 0) & (1 << (index & 7))) !== 0)
}

/** Changes of some fields of a record, put into it. */
export const readRowChange = (bytes: Bytes, fields: ReadonlyArray<Field>, row: Row): Row => {
  for (const field of fields) {
    const name = field.name ?? ""
    row[name] = readChange(bytes, field, row[name])
  }
  return row
}

/** Kinds of which parts travel by themselves. */
const changes = (field: Field): boolean =>
  field.kind === "struct" ||
  field.kind === "map" ||
  ((field.kind === "list" || field.kind === "optional") && changes(itemOf(field)))

const readChange = (bytes: Bytes, field: Field, before: unknown): unknown => {
  if (field.kind === "struct") {
    const masked = readMask(bytes, field.fields ?? [])
    return readRowChange(bytes, masked, { ...Object(before) })
  }
  if (!changes(field)) return readField(bytes, field)
  const place = bytes.take(1)[0]
  if (place === 0) return undefined
  if (place === 1) return readField(bytes, field.kind === "optional" ? itemOf(field) : field)
  if (field.kind === "optional") return readChange(bytes, itemOf(field), before)
  return field.kind === "list" ? listChange(bytes, field, before) : mapChange(bytes, field, before)
}

const listChange = (bytes: Bytes, field: Field, before: unknown): ReadonlyArray<unknown> => {
  const items: Array<unknown> = [...Object(before)].slice(0, bytes.varuint())
  for (let count = bytes.varuint(); count > 0; count -= 1) {
    const at = bytes.varuint()
    items[at] = readChange(bytes, itemOf(field), items[at])
  }
  for (let count = bytes.varuint(); count > 0; count -= 1)
    items.push(readField(bytes, itemOf(field)))
  return items
}

const mapChange = (bytes: Bytes, field: Field, before: unknown): ReadonlyMap<unknown, unknown> => {
  const map = new Map<unknown, unknown>(Object(before))
  for (let count = bytes.varuint(); count > 0; count -= 1) {
    const key = readField(bytes, keyOf(field))
    const place = bytes.take(1)[0]
    if (place === 0) map.delete(key)
    else if (place === 1) map.set(key, readField(bytes, itemOf(field)))
    else map.set(key, readChange(bytes, itemOf(field), map.get(key)))
  }
  return map
}
