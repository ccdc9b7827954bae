import type { Mask } from "../codec/Mask.ts"
import type { RoomTable } from "../codec/RoomTable.ts"
import { Slot } from "../codec/Row.ts"
import type { StateTables } from "../codec/StateTables.ts"
import type { TableReads } from "./ViewRule.ts"

interface Changed {
  readonly fields: Mask
  readonly members: boolean
}

/** The changes of the tables that rules have read. A table is scanned at the first question about it. */
export class TableChanges {
  readonly #tables: ReadonlyArray<RoomTable>
  /** By table: the next id when all was settled, which tells of new records. */
  readonly #nextIds = new Map<RoomTable, number>()
  readonly #changed = new Map<RoomTable, Changed>()

  constructor({ singletons, collections }: StateTables<RoomTable>) {
    this.#tables = [...singletons, ...collections]
    this.settle()
  }

  /** Nothing is pending now. */
  settle(): void {
    this.#changed.clear()
    for (const table of this.#tables) this.#nextIds.set(table, table.nextId)
  }

  /** Whether something of what was read has changed. */
  touch(reads: ReadonlyMap<RoomTable, TableReads>): boolean {
    for (const [table, { fields, members }] of reads) {
      const changed = this.#of(table)
      if (members && changed.members) return true
      if (fields.some((byte, at) => (byte & (changed.fields[at] ?? 0)) !== 0)) return true
    }
    return false
  }

  #of(table: RoomTable): Changed {
    const known = this.#changed.get(table)
    if (known !== undefined) return known
    const fields = new Uint8Array(table.maskBytes)
    for (const row of table.pending) {
      if (row[Slot] < 0) continue
      for (let at = 0; at < fields.length; at += 1) {
        fields[at] = (fields[at] ?? 0) | table.maskByte(row[Slot], at)
      }
    }
    const members = table.removed.length > 0 || table.nextId !== this.#nextIds.get(table)
    const changed = { fields, members }
    this.#changed.set(table, changed)
    return changed
  }
}
