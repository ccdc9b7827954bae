import type { Plain } from "@atrium/wire/msgpack/MsgpackReader"
import type { StateShape } from "@atrium/wire/schema"

import { checkValues } from "./RelayFieldSizes.ts"
import { type RelayRefusal, RelayRefusals } from "./RelayRefusal.ts"
import type { RelayOp, RelayWrite } from "./RelayState.ts"

/** The tables of a room, and the place of each by its name. */
export interface OpTables {
  readonly shapes: ReadonlyArray<StateShape>
  readonly places: ReadonlyMap<string, number>
}

export type ReadOps =
  | { readonly _tag: "Good"; readonly write: RelayWrite }
  | { readonly _tag: "Bad"; readonly refusal: RelayRefusal }

/** Reads the ops of a write. One op that does not fit the schema refuses all of them. */
export const readOps = (tables: OpTables, given: Plain): ReadOps => {
  if (!Array.isArray(given)) return bad("write: the ops are no list")
  const ops: Array<RelayOp> = []
  const values: Array<object> = []
  for (const entry of given) {
    const read = readOp(tables, entry)
    if (typeof read === "string") return bad(read)
    ops.push(read.op)
    values.push(read.values)
  }
  return { _tag: "Good", write: { ops, values } }
}

const bad = (why: string): ReadOps => ({ _tag: "Bad", refusal: RelayRefusals.rejected(why) })

interface ReadOp {
  readonly op: RelayOp
  readonly values: object
}

const nothing: object = Object.freeze({})

/** @returns a text = what is wrong with the op */
const readOp = (tables: OpTables, entry: unknown): ReadOp | string => {
  if (!isMap(entry)) return "write: an op is no map"
  const { op, c, k, v } = entry
  const table = typeof c === "string" ? tables.places.get(c) : undefined
  const shape = tables.shapes[table ?? -1]
  if (table === undefined || shape === undefined) return `${shown(c)}: there is no such collection`
  if (op !== "add" && op !== "set" && op !== "remove") return `${shown(op)}: there is no such op`
  if (op !== "add" && !isKey(k)) return `${shape.name}: the key of a record is a whole number`
  const key = isKey(k) ? k : 0
  if (op === "remove") return { op: { _tag: "Remove", table, key }, values: nothing }
  const given = op === "add" && (v === undefined || v === null) ? nothing : v
  if (!isMap(given)) return `${shape.name}: the values are no map`
  const checked = checkValues(shape, given)
  if (checked._tag === "Bad") return checked.problem
  const { fields } = checked
  const good: RelayOp =
    op === "add" ? { _tag: "Add", table, fields } : { _tag: "Set", table, key, fields }
  return { op: good, values: given }
}

const isMap = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof Uint8Array)

const isKey = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 0xffff_ffff

const shown = (value: unknown): string => (typeof value === "string" ? value : "write")
