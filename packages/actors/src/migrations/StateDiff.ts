import { MigrationLimits } from "@atrium/domain/migrations/MigrationLimits"
import { decodeSnapshotFile } from "@atrium/runtime/room/SnapshotFile"
import { readPlainState } from "@atrium/wire/codec/MigrateState"
import { plainForm } from "@atrium/wire/codec/PlainForm"
import type { SchemaDescriptor } from "@atrium/wire/schema"

/** A room's snapshot, and the schema that it was written with. */
export interface DiffSide {
  readonly bytes: Uint8Array
  readonly schema: SchemaDescriptor
}

/**
 * The changes from one state to another, as lines; `null` = one of them is too large to show, or is not one. Takes time in
 * proportion to both. Source: C-712.
 */
export const stateDiff = (before: DiffSide, after: DiffSide): ReadonlyArray<string> | null => {
  const { max } = MigrationLimits.rehearsalDiffBytes
  if (before.bytes.length > max || after.bytes.length > max) return null
  const [old, now] = [leavesOf(before), leavesOf(after)]
  if (old === null || now === null) return null
  const paths = new Set([...old.keys(), ...now.keys()])
  const lines: Array<string> = []
  let left = 0
  for (const path of paths) {
    for (const line of changeOf(path, old.get(path), now.get(path))) {
      if (lines.length < MigrationLimits.rehearsalDiffLines.max) lines.push(line)
      else left++
    }
  }
  return left === 0 ? lines : [...lines, `  … and ${left} lines more`]
}

const changeOf = (path: string, old?: string, now?: string): ReadonlyArray<string> => {
  if (old === now) return []
  const gone = old === undefined ? [] : [`- ${path}: ${old}`]
  return now === undefined ? gone : [...gone, `+ ${path}: ${now}`]
}

/** The fields of a state by their paths, such as `match.round` and `fighters[1].hp`. */
const leavesOf = ({ bytes, schema }: DiffSide): ReadonlyMap<string, string> | null => {
  const leaves = new Map<string, string>()
  const add = (path: string, record: object): void => {
    for (const [name, value] of Object.entries(record)) {
      if (name !== "id") leaves.set(`${path}.${name}`, valueText(value))
    }
  }
  try {
    const parts = readPlainState(decodeSnapshotFile(bytes).state, schema)
    for (const [name, part] of Object.entries(parts)) {
      if (!isList(part)) add(name, part)
      else for (const record of part) add(`${name}[${String(record["id"])}]`, record)
    }
  } catch {
    // A room's process made these bytes, so they may be malformed; the migration reports that itself.
    return null
  }
  return leaves
}

/** `Array.isArray` does not narrow a list that is read-only. */
const isList = <Item>(part: object | ReadonlyArray<Item>): part is ReadonlyArray<Item> =>
  Array.isArray(part)

const valueText = (value: unknown): string => {
  const text = JSON.stringify(plainForm(value), shown) ?? String(value)
  const { max } = MigrationLimits.rehearsalDiffChars
  return text.length > max ? `${text.slice(0, max)}…`.toWellFormed() : text
}

/** Values that JSON has no form for. */
const shown = (_: string, value: unknown): unknown => {
  if (value instanceof Uint8Array) return `${value.length} bytes`
  return typeof value === "number" && !Number.isFinite(value) ? String(value) : value
}
