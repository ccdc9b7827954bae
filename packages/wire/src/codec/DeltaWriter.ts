import type { ByteWriter } from "./ByteWriter.ts"
import { masked, maskKey } from "./Mask.ts"
import type { RoomTable } from "./RoomTable.ts"
import { Slot, type Row } from "./Row.ts"
import { writeRuns } from "./Runs.ts"

/** Writes the section of a singleton, nothing when it did not change. */
export const writeSingletonDelta = (
  writer: ByteWriter,
  table: RoomTable,
  section: number
): void => {
  const row = table.pending[0]
  if (row === undefined) return
  const mask = table.maskOf(row)
  writer.varuint(section)
  writer.raw(mask)
  for (const column of masked(table.columns, mask)) column.writeDelta(writer, row[Slot])
}

/** Writes the section of a collection, nothing when it did not change. */
export const writeCollectionDelta = (
  writer: ByteWriter,
  table: RoomTable,
  section: number
): void => {
  const rows = changedRows(table)
  if (rows.length === 0 && table.removed.length === 0) return
  writer.varuint(section)
  table.removed.sort((a, b) => a - b)
  writeRuns(writer, table.removed, Number.POSITIVE_INFINITY)
  const groups = groupsOf(table, rows)
  writer.varuint(groups.length)
  for (const group of groups) writeGroup(writer, table, group)
}

/** Pending rows that are still there, ascending by id. */
const changedRows = (table: RoomTable): ReadonlyArray<Row> => {
  const rows: Array<Row> = []
  let before = 0
  let ascending = true
  for (const row of table.pending) {
    if (row[Slot] < 0) continue
    if (row.id < before) ascending = false
    before = row.id
    rows.push(row)
  }
  return ascending ? rows : rows.sort((a, b) => a.id - b.id)
}

/** Rows with the same changed fields, which share one mask on the wire. */
interface Group {
  readonly key: number | string
  readonly rows: Array<Row>
}

/** Groups in the order of their lowest id. */
const groupsOf = (table: RoomTable, rows: ReadonlyArray<Row>): ReadonlyArray<Group> => {
  const groups: Array<Group> = []
  const byKey = new Map<number | string, Group>()
  let group: Group | undefined
  for (const row of rows) {
    const key = rowKey(table, row)
    // Neighbours mostly changed in the same way.
    if (group === undefined || group.key !== key) group = byKey.get(key)
    if (group === undefined) {
      group = { key, rows: [] }
      byKey.set(key, group)
      groups.push(group)
    }
    group.rows.push(row)
  }
  return groups
}

const NumberMaskBytesMax = 4

/** The mask of a record's changes as a key of a map: a number while it fits one. */
const rowKey = (table: RoomTable, row: Row): number | string => {
  const bytes = table.maskBytes
  const slot = row[Slot]
  if (bytes > NumberMaskBytesMax) return maskKey(table.maskOf(row))
  let key = 0
  for (let place = 0; place < bytes; place += 1) {
    key |= table.maskByte(slot, place) << (8 * place)
  }
  return key
}

const writeGroup = (writer: ByteWriter, table: RoomTable, group: Group): void => {
  const [first] = group.rows
  if (first === undefined) return
  const mask = table.maskOf(first)
  const columns = masked(table.columns, mask)
  writer.raw(mask)
  // Without values, long runs would let a few bytes stand for any number of entities.
  const runLengthMax = columns.length === 0 ? 1 : Number.POSITIVE_INFINITY
  const ids = group.rows.map((row) => row.id)
  writeRuns(writer, ids, runLengthMax)
  for (const row of group.rows) {
    const slot = row[Slot]
    for (const column of columns) column.writeDelta(writer, slot)
  }
}
