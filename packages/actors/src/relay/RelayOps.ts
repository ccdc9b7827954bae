import type { Plain } from "@atrium/wire/msgpack/MsgpackReader"
import type { StateShape } from "@atrium/wire/schema"

import { type RelayFault, RelayFaults } from "./RelayFault.ts"
import type { RelayOp } from "./RelayMachine.ts"
import { judgeValues } from "./RelayValues.ts"

/** The ops of a write, and the values of each. */
export interface RelayOps {
  readonly ops: ReadonlyArray<RelayOp>
  readonly values: ReadonlyArray<object>
}

/** Where the tables of a room are by name, and what they hold. */
export interface OpTables {
  readonly shapes: ReadonlyArray<StateShape>
  placeOf(name: string): number | undefined
}

/** Reads the ops of a write: what is not of the schema is refused, and all ops with it. */
export const readOps = (tables: OpTables, given: Plain): RelayOps | { fault: RelayFault } => {
  if (!Array.isArray(given)) return refused("write: the ops are no list")
  const ops: Array<RelayOp> = []
  const values: Array<object> = []
  for (const entry of given) {
    const read = readOp(tables, entry)
    if (typeof read === "string") return refused(read)
    ops.push(read.op)
    values.push(read.values)
  }
  return { ops, values }
}

const refused = (why: string): { fault: RelayFault } => ({ fault: RelayFaults.rejected(why) })

type ReadOp = { readonly op: RelayOp; readonly values: object }

const nothing: object = Object.freeze({})

/** @returns a text = what is wrong with it */
const readOp = (tables: OpTables, entry: unknown): ReadOp | string => {
  if (!isMap(entry)) return "write: an op is no map"
  const { op, c, k, v } = entry
  const table = typeof c === "string" ? tables.placeOf(c) : undefined
  const shape = tables.shapes[table ?? -1]
  if (table === undefined || shape === undefined) return `${shown(c)}: there is no such collection`
  if (op !== "add" && op !== "set" && op !== "remove") return `${shown(op)}: there is no such op`
  if (op !== "add" && !isKey(k)) return `${shape.name}: the key of a record is a whole number`
  const key = isKey(k) ? k : 0
  if (op === "remove") return { op: { op, table, key }, values: nothing }
  const given = op === "add" && (v === undefined || v === null) ? nothing : v
  if (!isMap(given)) return `${shape.name}: the values are no map`
  const judged = judgeValues(shape, given)
  if ("problem" in judged) return judged.problem
  const { fields } = judged
  return { op: op === "add" ? { op, table, fields } : { op, table, key, fields }, values: given }
}

const isMap = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof Uint8Array)

const isKey = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 0xffff_ffff

const shown = (value: unknown): string => (typeof value === "string" ? value : "write")
