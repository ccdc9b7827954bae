import { addFields, type Mask } from "../codec/Mask.ts"
import type { RoomTable } from "../codec/RoomTable.ts"
import { Slot, type Row } from "../codec/Row.ts"
import type { Asker, Viewer } from "./Asker.ts"
import { type Audience } from "./Audience.ts"
import { Buckets } from "./Buckets.ts"
import { audiencesOf, type Sight, Sights } from "./Sight.ts"
import { makeViewRule, type ShapeRules, type ViewRule } from "./ViewRule.ts"

interface FieldRule<V> {
  readonly index: number
  readonly rule: ViewRule<V>
}

/** A rule that is due again: for all viewers, or for some. */
export interface Due<V> {
  all: boolean
  readonly viewers: Set<Viewer<V>>
}

/** A table that not everybody sees whole: who sees which of its rows. */
export class FilteredTable<V> {
  readonly table: RoomTable
  readonly record: ViewRule<V> | null
  readonly fields: ReadonlyArray<FieldRule<V>>
  /** Of each row, as the viewers know it. Empty while there is no viewer. */
  readonly #sightOf = new Map<number, Sight>()
  readonly #sights = new Sights()
  readonly #asker: Asker<V>
  readonly #due = new Map<ViewRule<V>, Due<V>>()
  /** Rows to be looked at again, whatever has changed. */
  readonly #rows = new Set<Row>()

  constructor(table: RoomTable, rules: ShapeRules<V>, asker: Asker<V>) {
    const { name, fields } = table.shape
    this.table = table
    this.#asker = asker
    this.record = rules.record === null ? null : makeViewRule(table, name, rules.record)
    this.fields = fields.flatMap(({ name: field, index }) => {
      const asks = rules.fields.get(field)
      return asks === undefined
        ? []
        : [{ index, rule: makeViewRule(table, `${name}.${field}`, asks) }]
    })
    for (const rule of this.rules()) this.#due.set(rule, { all: false, viewers: new Set() })
  }

  rules(): ReadonlyArray<ViewRule<V>> {
    const fields = this.fields.map(({ rule }) => rule)
    return this.record === null ? fields : [this.record, ...fields]
  }

  /** Who sees a row now; `null` = the row is not known to any viewer. */
  sightOf(row: Row): Sight | null {
    return this.#sightOf.get(row.id) ?? null
  }

  /** Each sight that a row has. */
  sights(): ReadonlySet<Sight> {
    return new Set(this.#sightOf.values())
  }

  /** How many sights are held, those that no row has any more among them. */
  get kept(): number {
    return this.#sights.size
  }

  dueFor(rule: ViewRule<V>): Due<V> {
    const due = this.#due.get(rule)
    if (due === undefined) throw new Error(`${rule.path} is no rule of ${this.table.shape.name}`)
    return due
  }

  /** Looks at a row again with the next changes. */
  lookAt(row: Row): void {
    this.#rows.add(row)
  }

  /** Shows a viewer what it may see, as of now: nothing is pending. */
  enter(viewer: Viewer<V>): void {
    const due: Due<V> = { all: false, viewers: new Set([viewer]) }
    for (const row of this.table.rows.values()) {
      this.#sightOf.set(
        row.id,
        this.#look(row, () => due)
      )
    }
  }

  /** There is no viewer. */
  clear(): void {
    this.#sightOf.clear()
    this.#rows.clear()
    for (const due of this.#due.values()) settle(due)
    this.#sights.keep(new Set())
  }

  /** Adds the audiences that rows have, and forgets the sights that none has. */
  keepLive(audiences: Set<Audience>): void {
    const live = this.sights()
    this.#sights.keep(live)
    for (const sight of live) for (const each of audiencesOf(sight)) audiences.add(each)
  }

  /** What changed for viewers since the last call, in the state or by what the rules say of it. */
  changes(): Buckets {
    const { table } = this
    const buckets = new Buckets(table)
    for (const id of table.removed) {
      const known = this.#sightOf.get(id)
      this.#sightOf.delete(id)
      if (known !== undefined) buckets.remove(known, id)
    }
    const dueOf = (rule: ViewRule<V>): Due<V> => this.dueFor(rule)
    const isDue = this.rules().some((rule) => isAny(this.dueFor(rule)))
    const read = this.#read()
    for (const row of table.pending) {
      if (row[Slot] < 0) continue
      const known = this.#sightOf.get(row.id)
      const stays = !isDue && !this.#rows.has(row) && !changedAny(table, row, read)
      const now = known !== undefined && stays ? known : this.#look(row, dueOf)
      if (now !== known) this.#sightOf.set(row.id, now)
      buckets.change(row, known ?? null, now)
    }
    if (isDue || this.#rows.size > 0)
      this.#lookAgain(buckets, isDue ? table.rows.values() : this.#rows)
    for (const due of this.#due.values()) settle(due)
    this.#rows.clear()
    return buckets
  }

  /** The fields that rules have read of their own records: a change of any other field changes no sight. */
  #read(): Mask {
    const read = new Uint8Array(this.table.maskBytes)
    for (const { own } of this.rules()) addFields(read, own)
    return read
  }

  /** Rows that did not change, and about which a rule may say something else now. */
  #lookAgain(buckets: Buckets, rows: Iterable<Row>): void {
    const pending = new Set(this.table.pending)
    for (const row of rows) {
      if (row[Slot] < 0 || pending.has(row)) continue
      const known = this.#sightOf.get(row.id)
      const now = this.#look(row, (rule) => this.dueFor(rule))
      if (now === known) continue
      this.#sightOf.set(row.id, now)
      buckets.change(row, known ?? null, now)
    }
  }

  #look(row: Row, dueOf: (rule: ViewRule<V>) => Due<V>): Sight {
    const known = this.#sightOf.get(row.id)
    const isNew = known === undefined || this.#rows.has(row)
    const audienceBy = (rule: ViewRule<V>, before: Audience | null | undefined): Audience => {
      const due = dueOf(rule)
      if (isNew || due.all || changedAny(this.table, row, rule.own)) {
        return this.#asker.everybody(rule, this.table, row)
      }
      const audience = before ?? this.#asker.audiences.nobody
      if (due.viewers.size === 0) return audience
      return this.#asker.some(rule, { table: this.table, row }, { audience, viewers: due.viewers })
    }
    const record = this.record === null ? null : audienceBy(this.record, known?.record)
    const fields = this.fields.map(({ rule }, at) => audienceBy(rule, known?.fields[at]))
    return this.#sights.of(record, fields)
  }
}

const isAny = <V>({ all, viewers }: Due<V>): boolean => all || viewers.size > 0

const settle = <V>(due: Due<V>): void => {
  due.all = false
  due.viewers.clear()
}

/** Whether one of some fields of a row has changed. */
const changedAny = (table: RoomTable, row: Row, fields: Mask): boolean => {
  for (let place = 0; place < fields.length; place += 1) {
    if ((table.maskByte(row[Slot], place) & (fields[place] ?? 0)) !== 0) return true
  }
  return false
}
