import type { Audience } from "./Audience.ts"

/** The viewers of a record and of its fields. Equal sights of a table are one object. */
export interface Sight {
  readonly id: number
  /** `null` = everybody sees the record. */
  readonly record: Audience | null
  /** Of the fields that have a rule, in the order of the table's rules. */
  readonly fields: ReadonlyArray<Audience>
}

/** Whether a viewer sees a record at all; no sight = there is no record. */
export const sees = (sight: Sight | null, place: number): boolean =>
  sight !== null && (sight.record === null || sight.record.has(place))

/** The sights of one table. */
export class Sights {
  #byKey = new Map<string, Sight>()
  #nextId = 0

  get size(): number {
    return this.#byKey.size
  }

  of(record: Audience | null, fields: ReadonlyArray<Audience>): Sight {
    let key = record === null ? "" : String(record.id)
    for (const { id } of fields) key += `,${id}`
    const known = this.#byKey.get(key)
    if (known !== undefined) return known
    const sight = { id: this.#nextId, record, fields }
    this.#nextId += 1
    this.#byKey.set(key, sight)
    return sight
  }

  /** Forgets those that no record has any more. */
  keep(live: ReadonlySet<Sight>): void {
    for (const [key, sight] of this.#byKey) if (!live.has(sight)) this.#byKey.delete(key)
  }
}

/** The audiences of a sight. */
export const audiencesOf = ({ record, fields }: Sight): ReadonlyArray<Audience> =>
  record === null ? fields : [record, ...fields]
