import { type Mask, maskKey } from "../codec/Mask.ts"
import type { RoomTable } from "../codec/RoomTable.ts"
import { Slot, type Row } from "../codec/Row.ts"
import type { Sight } from "./Sight.ts"

/** Rows to which the same happened, for every viewer. */
export interface Bucket {
  /** `null` = they are new. */
  readonly known: Sight | null
  /** `null` = they were removed. */
  readonly now: Sight | null
  /** Their fields that changed. */
  readonly changed: Mask
  readonly ids: Array<number>
  /** Empty for removed ones. */
  readonly rows: Array<Row>
}

/** The changes of one table. */
export class Buckets {
  readonly #table: RoomTable
  readonly #all: Array<Bucket> = []
  readonly #byKey = new Map<string, Bucket>()
  /** Of the sights that stayed as they were: most rows are of these. */
  readonly #same = new Map<Sight, Bucket>()

  constructor(table: RoomTable) {
    this.#table = table
  }

  get isEmpty(): boolean {
    return this.#all.length === 0
  }

  [Symbol.iterator](): IterableIterator<Bucket> {
    return this.#all.values()
  }

  /** A row that viewers knew is gone. */
  remove(known: Sight, id: number): void {
    this.#bucket(`${known.id}-`, { known, now: null, changed: noFields }).ids.push(id)
  }

  /** A row is new, or has changed, or others see it now. */
  change(row: Row, known: Sight | null, now: Sight): void {
    const bucket = this.#bucketOf(row, known, now)
    bucket.ids.push(row.id)
    bucket.rows.push(row)
  }

  #bucketOf(row: Row, known: Sight | null, now: Sight): Bucket {
    const last = known === now ? this.#same.get(now) : undefined
    if (last !== undefined && this.#changedLike(row, last.changed)) return last
    const changed = this.#table.maskOf(row)
    const key = `${known?.id ?? "+"}>${now.id}:${maskKey(changed)}`
    const bucket = this.#bucket(key, { known, now, changed })
    if (known === now) this.#same.set(now, bucket)
    return bucket
  }

  #changedLike(row: Row, changed: Mask): boolean {
    const slot = row[Slot]
    for (let place = 0; place < changed.length; place += 1) {
      if (this.#table.maskByte(slot, place) !== changed[place]) return false
    }
    return true
  }

  #bucket(key: string, of: Pick<Bucket, "known" | "now" | "changed">): Bucket {
    const known = this.#byKey.get(key)
    if (known !== undefined) return known
    // A copy: the mask of the row is a view of what changes with the next rows.
    const bucket = { ...of, changed: of.changed.slice(), ids: [], rows: [] }
    this.#byKey.set(key, bucket)
    this.#all.push(bucket)
    return bucket
  }
}

const noFields: Mask = new Uint8Array(0)
