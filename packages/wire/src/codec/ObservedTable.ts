import type { ByteReader } from "./ByteReader.ts"
import { ByteWriter } from "./ByteWriter.ts"
import type { Column } from "./Column.ts"
import { type Row, SingletonId, Slot } from "./Row.ts"
import { Table } from "./Table.ts"

/** The difference between two moments of a table. A record is in one of the three. */
export interface RecordChanges {
  readonly removed: Set<Row>
  readonly added: Set<Row>
  /** The names of the fields that have changed. */
  readonly changed: Map<Row, Set<string>>
}

const noChanges = (): RecordChanges => ({
  removed: new Set(),
  added: new Set(),
  changed: new Map()
})

const scratch = new ByteWriter()

/** A client's table. While it is observed it notes what is read into it. */
export class ObservedTable extends Table {
  /** `null` = nobody observes it. */
  #changes: RecordChanges | null = null

  /** Begins to note changes, if it does not yet. */
  observe(): void {
    this.#changes ??= noChanges()
  }

  unobserve(): void {
    this.#changes = null
  }

  /** Begins its notes in place of a table of before: all of its records are others. */
  succeed(before: ObservedTable): void {
    const changes = noChanges()
    const { added, removed } = before.#changes ?? changes
    before.unobserve()
    this.#changes = changes
    for (const row of this.rows.values()) {
      if (row.id === SingletonId) this.columns.forEach((column) => this.#note(changes, row, column))
      else changes.added.add(row)
    }
    for (const row of [...before.rows.values(), ...removed]) {
      if (row.id !== SingletonId && !added.has(row)) changes.removed.add(row)
    }
  }

  /** The changes since the last time; `null` = there are none. */
  take(): RecordChanges | null {
    const changes = this.#changes
    if (changes === null) return null
    const { removed, added, changed } = changes
    if (removed.size + added.size + changed.size === 0) return null
    this.#changes = noChanges()
    return changes
  }

  override create(id: number): Row {
    const row = super.create(id)
    this.#changes?.added.add(row)
    return row
  }

  override release(row: Row): void {
    super.release(row)
    const changes = this.#changes
    if (changes === null || changes.added.delete(row)) return
    changes.changed.delete(row)
    changes.removed.add(row)
  }

  override readRow(reader: ByteReader, row: Row): void {
    const changes = this.#changes
    if (changes === null || changes.added.has(row)) return super.readRow(reader, row)
    for (const column of this.columns) {
      // A value that has the same bytes is the same: it stays, and with it every object within.
      scratch.reset()
      column.write(scratch, row[Slot])
      if (reader.skips(scratch.finish())) continue
      column.read(reader, row[Slot])
      this.#note(changes, row, column)
    }
  }

  override readChanges(reader: ByteReader, row: Row, columns: ReadonlyArray<Column>): void {
    const changes = this.#changes
    if (changes === null || changes.added.has(row)) return super.readChanges(reader, row, columns)
    for (const column of columns) {
      const before = column.whole(row[Slot], row)
      column.readDelta(reader, row[Slot])
      if (column.whole(row[Slot], row) !== before) this.#note(changes, row, column)
    }
  }

  #note({ changed }: RecordChanges, row: Row, column: Column): void {
    const { name = "" } = this.shape.fields[this.columns.indexOf(column)] ?? {}
    const fields = changed.get(row)
    if (fields === undefined) changed.set(row, new Set([name]))
    else fields.add(name)
  }
}
