import { show } from "../schema/FieldCheck.ts"
import { FieldError } from "../schema/FieldError.ts"
import type { ByteWriter } from "./ByteWriter.ts"
import { Place, sameStored, writeNormal } from "./FieldCodec.ts"
import { LiveNode, type LiveParts } from "./LiveNode.ts"
import { Inspect } from "./Row.ts"

/** What has become of an entry since the last delta. */
type Mark =
  /** Clients have none. */
  | "added"
  /** Clients have another value. */
  | "replaced"
  /** Something within changed. */
  | "changed"
  | "removed"
  /** Clients have an older one, at another place in the order. */
  | "renewed"

/** A map in a room. */
export class LiveMap extends LiveNode {
  /** A live value, or a stored form. */
  #entries: Map<unknown, unknown>
  /** Added ones in the order of the entries. */
  readonly #marks = new Map<unknown, Mark>()
  /** The next delta has all entries, and the marks do not count. */
  #whole = false
  #value: MapValue | null = null

  constructor(parts: LiveParts, stored: unknown) {
    super(parts)
    this.#entries = new Map(Object(stored))
  }

  get value(): object {
    this.#value ??= new MapValue(this)
    return this.#value
  }

  get size(): number {
    return this.#entries.size
  }

  has(key: unknown): boolean {
    return this.#entries.has(key)
  }

  keys(): IterableIterator<unknown> {
    return this.#entries.keys()
  }

  get(key: unknown): unknown {
    const { item } = this.field
    if (item === null || !this.#entries.has(key)) return undefined
    return item.live ? this.#live(key).value : item.fromStored(this.#entries.get(key))
  }

  set(key: unknown, value: unknown): void {
    this.demandPlace()
    const { spec, item, key: keys } = this.field
    if (spec.kind !== "map" || item === null || keys === null) return
    const problem = keys.check(key)
    if (problem !== null) throw new FieldError(`${this.path}: the key ${problem}`)
    this.demandFit(item, value, key)
    const size = this.#entries.size + (this.#entries.has(key) ? 0 : 1)
    if (size > spec.maxEntries) {
      throw new FieldError(`${this.path}: ${size} entries are over ${spec.maxEntries}`)
    }
    this.#put(keys.normal(key), item.normal(value), value)
  }

  delete(key: unknown): boolean {
    this.demandPlace()
    const cell = this.#entries.get(key)
    if (!this.#entries.delete(key)) return false
    if (cell instanceof LiveNode) cell.replaced = true
    const mark = this.#marks.get(key)
    this.#marks.delete(key)
    if (mark !== "added") this.#marks.set(key, "removed")
    this.touch()
    return true
  }

  clear(): void {
    this.demandPlace()
    if (this.#entries.size === 0) return
    for (const cell of this.#entries.values()) if (cell instanceof LiveNode) cell.replaced = true
    this.#entries.clear()
    this.#sendWhole()
  }

  /** Entries whose key stays keep their value, and get the new one copied into it. */
  assign(stored: unknown, given: unknown): void {
    if (given === this.#value) return
    const next: ReadonlyMap<unknown, unknown> = new Map(Object(stored))
    for (const key of this.#entries.keys()) if (!next.has(key)) this.delete(key)
    for (const [key, value] of next) this.#put(key, value, undefined)
    const order = [...next.keys()]
    if ([...this.#entries.keys()].every((key, at) => key === order[at])) return
    this.#entries = new Map(order.map((key) => [key, this.#entries.get(key)]))
    this.#sendWhole()
  }

  #put(key: unknown, stored: unknown, given: unknown): void {
    const mark = this.#marks.get(key)
    if (!this.#entries.has(key)) {
      // A mark that is set again goes to the end, as its entry does.
      this.#marks.delete(key)
      this.#marks.set(key, mark === "removed" ? "renewed" : "added")
    } else if (this.field.item?.live === true) {
      return this.#live(key).assign(stored, given)
    } else {
      if (sameStored(this.#entries.get(key), stored)) return
      if (mark === undefined) this.#marks.set(key, "replaced")
    }
    this.#entries.set(key, stored)
    this.touch()
  }

  #sendWhole(): void {
    this.#whole = true
    this.#marks.clear()
    this.touch()
  }

  #live(key: unknown): LiveNode {
    // A map has an item.
    const live = this.liven(this.#entries.get(key), this.field.item ?? this.field, key)
    this.#entries.set(key, live)
    return live
  }

  changedAt(key: unknown): void {
    if (!this.#marks.has(key)) this.#marks.set(key, "changed")
    this.touch()
  }

  pathOf(key: unknown): string {
    return `${this.path}[${show(key)}]`
  }

  write(writer: ByteWriter): void {
    writer.varuint(this.#entries.size)
    for (const key of this.#entries.keys()) {
      this.#writeKey(writer, key)
      this.#writeEntry(writer, key)
    }
  }

  #writeKey(writer: ByteWriter, key: unknown): void {
    if (this.field.key !== null) writeNormal(writer, this.field.key, key)
  }

  #writeEntry(writer: ByteWriter, key: unknown): void {
    const cell = this.#entries.get(key)
    if (cell instanceof LiveNode) cell.write(writer)
    else if (this.field.item !== null) writeNormal(writer, this.field.item, cell)
  }

  writeChange(writer: ByteWriter): void {
    writer.u8(this.#whole ? Place.whole : Place.change)
    if (this.#whole) return this.write(writer)
    const marks = [...this.#marks]
    const gone = marks.filter(([, mark]) => mark === "removed" || mark === "renewed")
    const there = marks.filter(([, mark]) => mark !== "removed")
    writer.varuint(gone.length + there.length)
    for (const [key] of gone) {
      this.#writeKey(writer, key)
      writer.u8(Place.absent)
    }
    for (const [key, mark] of there) {
      this.#writeKey(writer, key)
      const cell = this.#entries.get(key)
      if (mark === "changed" && cell instanceof LiveNode) {
        writer.u8(Place.change)
        cell.writeChange(writer)
      } else {
        writer.u8(Place.whole)
        this.#writeEntry(writer, key)
      }
    }
  }

  writeWhole(writer: ByteWriter): void {
    writer.u8(Place.whole)
    this.write(writer)
  }

  protected settleParts(): void {
    for (const key of this.#whole ? this.#entries.keys() : this.#marks.keys()) {
      const cell = this.#entries.get(key)
      if (cell instanceof LiveNode) cell.settle()
    }
    this.#marks.clear()
    this.#whole = false
  }
}

/** What room code holds of a map. */
class MapValue {
  readonly #node: LiveMap

  constructor(node: LiveMap) {
    this.#node = node
  }

  get size(): number {
    return this.#node.size
  }

  has(key: unknown): boolean {
    return this.#node.has(key)
  }

  get(key: unknown): unknown {
    return this.#node.get(key)
  }

  set(key: unknown, value: unknown): this {
    this.#node.set(key, value)
    return this
  }

  delete(key: unknown): boolean {
    return this.#node.delete(key)
  }

  clear(): void {
    this.#node.clear()
  }

  keys(): IterableIterator<unknown> {
    return this.#node.keys()
  }

  *values(): IterableIterator<unknown> {
    for (const key of this.#node.keys()) yield this.#node.get(key)
  }

  *entries(): IterableIterator<readonly [unknown, unknown]> {
    for (const key of this.#node.keys()) yield [key, this.#node.get(key)]
  }

  [Symbol.iterator](): IterableIterator<readonly [unknown, unknown]> {
    return this.entries()
  }

  forEach(visit: (value: unknown, key: unknown, map: this) => void): void {
    for (const [key, value] of this) visit(value, key, this)
  }

  toJSON(): ReadonlyArray<unknown> {
    return [...this]
  }

  [Inspect](): object {
    return new Map(this)
  }
}
