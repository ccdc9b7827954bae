import type { ByteWriter } from "./ByteWriter.ts"
import { Place } from "./FieldCodec.ts"
import { LiveNode, type LiveParts } from "./LiveNode.ts"

/** A list in a room whose items change where they are. */
export class LiveList extends LiveNode {
  #items: ReadonlyArray<LiveNode>
  /** How many items, from the start, clients have at the same place. */
  #kept: number
  /** Those of them that changed. */
  readonly #dirty = new Set<number>()
  #value: ReadonlyArray<unknown> | null = null
  /** The items by what room code holds of them. */
  #byValue: ReadonlyMap<unknown, LiveNode> = new Map()

  constructor(parts: LiveParts, stored: unknown) {
    super(parts)
    this.#items = Array.from(Object(stored), (value: unknown, at) => this.#make(value, at))
    this.#kept = this.#items.length
  }

  #make(stored: unknown, at: number): LiveNode {
    // A list has an item.
    return this.liven(stored, this.field.item ?? this.field, at)
  }

  get value(): ReadonlyArray<unknown> {
    if (this.#value === null) {
      this.#value = Object.freeze(this.#items.map(({ value }) => value))
      this.#byValue = new Map(this.#items.map((item) => [item.value, item]))
    }
    return this.#value
  }

  /** Items that are in the list already stay the same, wherever they are in it now. */
  assign(stored: unknown, given: unknown): void {
    if (given === this.#value) return
    const before = this.#items
    const left = new Map(this.#byValue)
    const givens: ReadonlyArray<unknown> = Array.isArray(given) ? given : []
    const items = Array.from(Object(stored), (value: unknown, at) => {
      const here = givens[at]
      const known = here === undefined ? undefined : left.get(here)
      left.delete(here)
      if (known !== undefined) return known
      // What is absent before and after, an optional, is no change.
      const old = before[at]
      const absent = value === undefined && old !== undefined && old.value === undefined
      return absent ? old : this.#make(value, at)
    })
    if (items.length === before.length && items.every((item, at) => item === before[at])) return
    const stay = new Set(items)
    for (const item of before) item.replaced = !stay.has(item)
    let kept = 0
    while (kept < this.#kept && kept < items.length && items[kept] === before[kept]) kept += 1
    for (const at of this.#dirty) if (at >= kept) this.#dirty.delete(at)
    for (const [at, item] of items.entries()) item.place = at
    const read = this.#value !== null
    this.#items = items
    this.#kept = kept
    this.#value = null
    // Room code may hold what it has read before: it is known again when it comes back.
    if (read) void this.value
    this.touch()
  }

  changedAt(at: number): void {
    if (at < this.#kept) this.#dirty.add(at)
    this.touch()
  }

  pathOf(at: number): string {
    return `${this.path}[${at}]`
  }

  write(writer: ByteWriter): void {
    this.#writeFrom(writer, 0)
  }

  #writeFrom(writer: ByteWriter, first: number): void {
    writer.varuint(this.#items.length - first)
    for (let at = first; at < this.#items.length; at += 1) this.#items[at]?.write(writer)
  }

  writeChange(writer: ByteWriter): void {
    writer.u8(this.#kept === 0 ? Place.whole : Place.change)
    if (this.#kept > 0) {
      writer.varuint(this.#kept)
      writer.varuint(this.#dirty.size)
      for (const at of this.#dirty) {
        writer.varuint(at)
        this.#items[at]?.writeChange(writer)
      }
    }
    this.#writeFrom(writer, this.#kept)
  }

  writeWhole(writer: ByteWriter): void {
    writer.u8(Place.whole)
    this.write(writer)
  }

  protected settleParts(): void {
    for (const item of this.#items) item.settle()
    this.#kept = this.#items.length
    this.#dirty.clear()
  }
}
