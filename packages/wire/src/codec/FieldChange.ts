import type { AnyField } from "../schema/Field.ts"
import { FrozenMap } from "../schema/FrozenMap.ts"
import { shownOf, wholeOf } from "../schema/UnknownChoice.ts"
import { Wire } from "../schema/Wire.ts"
import type { ByteReader } from "./ByteReader.ts"
import type { ByteWriter } from "./ByteWriter.ts"
import { checkCount, Place, readPlace, readStored, readValue, writeNormal } from "./FieldCodec.ts"
import { readMask, wholeMask } from "./Mask.ts"

/**
 * Writes all of a value as a change, so that {@link readChange} gives it whatever there was before.
 *
 * @param value as lists and structs hold it
 */
export const writeWhole = (writer: ByteWriter, field: AnyField, value: unknown): void => {
  if (field.wire === Wire.struct) {
    const whole = wholeOf(Object(value))
    writer.raw(wholeMask(field.fields.length))
    for (const { name, field: part } of field.fields) {
      writeWhole(writer, part, Reflect.get(whole, name))
    }
    return
  }
  // An optional says by itself that it is whole.
  if (field.live && field.wire !== Wire.optional) writer.u8(Place.whole)
  writeNormal(writer, field, value)
}

/**
 * Reads what changed in a value, and gives the value as it is now: frozen, with the parts that did not
 * change. Throws `CodecError`. Layout: docs/protocol.md, "Delta".
 */
export const readChange = (reader: ByteReader, field: AnyField, before: unknown): unknown => {
  if (field.wire === Wire.struct) {
    const struct: Record<string, unknown> = { ...wholeOf(Object(before)) }
    for (const { name, field: part } of readMask(reader, field.fields)) {
      struct[name] = readChange(reader, part, struct[name])
    }
    return Object.freeze(shownOf(struct))
  }
  const { item } = field
  if (!field.live || item === null) return readValue(reader, field)
  const optional = field.wire === Wire.optional
  const place = readPlace(reader, Place.change)
  if (place === Place.whole) return optional ? readValue(reader, item) : readStored(reader, field)
  if (optional && place === Place.absent) return undefined
  if (before === undefined || place === Place.absent) return reader.fail("no value to change")
  if (optional) return readChange(reader, item, before)
  const whole = wholeOf(Object(before))
  return Array.isArray(whole) ? readItems(reader, field, whole) : readEntries(reader, field, whole)
}

const readItems = (reader: ByteReader, field: AnyField, before: ReadonlyArray<unknown>) => {
  const kept = reader.varuint()
  const items = before.slice(0, kept)
  if (items.length < kept) reader.fail(`${kept} items kept of ${items.length}`)
  for (let count = reader.varuint(); count > 0; count -= 1) {
    const at = reader.varuint()
    if (at >= kept || field.item === null) return reader.fail(`a change of item ${at} of ${kept}`)
    items[at] = readChange(reader, field.item, items[at])
  }
  const added = readStored(reader, field)
  const all = items.concat(wholeOf(Object(added)))
  checkCount(reader, field, all.length)
  return Object.freeze(shownOf(all))
}

const readEntries = (reader: ByteReader, field: AnyField, before: unknown) => {
  const { item, key } = field
  const entries = new Map(before instanceof Map ? before : [])
  for (let count = reader.varuint(); count > 0; count -= 1) {
    if (item === null || key === null) return reader.fail("not a map")
    const name = readValue(reader, key)
    const place = readPlace(reader, Place.change)
    if (place === Place.whole) {
      entries.set(name, readValue(reader, item))
      checkCount(reader, field, entries.size)
    } else if (!entries.has(name)) reader.fail(`no entry ${String(name)}`)
    else if (place === Place.absent) entries.delete(name)
    else entries.set(name, readChange(reader, item, entries.get(name)))
  }
  return new FrozenMap(entries)
}
