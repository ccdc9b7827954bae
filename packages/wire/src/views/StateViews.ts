import { ByteWriter } from "../codec/ByteWriter.ts"
import { writeCollectionDelta, writeSingletonDelta } from "../codec/DeltaWriter.ts"
import { writeFullCollection, writeFullSingleton } from "../codec/FullCodec.ts"
import type { RoomTable } from "../codec/RoomTable.ts"
import type { Row } from "../codec/Row.ts"
import type { StateTables } from "../codec/StateTables.ts"
import { Asker, type AskerPorts, type Viewer } from "./Asker.ts"
import type { Audience } from "./Audience.ts"
import type { Buckets } from "./Buckets.ts"
import { FilteredTable } from "./FilteredTable.ts"
import { Partition } from "./Partition.ts"
import { ReadableTables, ReadLog } from "./ReadLog.ts"
import { audiencesOf } from "./Sight.ts"
import { TableChanges } from "./TableChanges.ts"
import type { ShapeRules } from "./ViewRule.ts"
import { ViewSection } from "./ViewSection.ts"

/** The state that viewers see parts of. */
export interface ViewedState {
  readonly tables: StateTables<RoomTable>
  /** The tables that clients know of. */
  readonly shown: StateTables<RoomTable>
  readonly dirty: boolean
  locked: boolean
  discardDelta(): void
}

/** What the rules of a room report, and what they read outside of its state. */
export type ViewPorts = Omit<AskerPorts, "lock">

/** What changed for some viewers, who all see the same of it. */
export interface ViewDelta<V> {
  readonly viewers: ReadonlyArray<Viewer<V>>
  readonly delta: Uint8Array
}

/** A table that clients know of, and who sees what of it. */
interface ShownTable<V> {
  readonly table: RoomTable
  readonly isSingleton: boolean
  readonly section: number
  /** `null` = everybody sees it whole. */
  readonly filtered: { readonly rows: FilteredTable<V>; readonly writer: ViewSection } | null
}

/**
 * What each viewer sees of a state by the rules of its room. What changed is looked at, and nothing else: a rule is
 * asked again when something changed that it has read, or when it is told to.
 */
export class StateViews<V> {
  readonly #state: ViewedState
  readonly #shown: ReadonlyArray<ShownTable<V>>
  readonly #filtered: ReadonlyArray<FilteredTable<V>>
  readonly #asker: Asker<V>
  readonly #changes: TableChanges
  readonly #writer = new ByteWriter()
  readonly #free: Array<number> = []
  #places = 0
  #due = false
  #keptBefore = 0

  /** @param rules by the name of their collection or singleton */
  constructor(state: ViewedState, rules: ReadonlyMap<string, ShapeRules<V>>, ports: ViewPorts) {
    const log = new ReadLog()
    const { singletons, collections } = state.shown
    this.#state = state
    this.#asker = new Asker(new ReadableTables(state.tables, state.shown, log), log, {
      ...ports,
      lock: (isLocked) => void (state.locked = isLocked)
    })
    this.#changes = new TableChanges(state.tables)
    this.#shown = [...singletons, ...collections].map((table, section) => {
      const own = rules.get(table.shape.name)
      const isSingleton = section < singletons.length
      if (own === undefined) return { table, isSingleton, section, filtered: null }
      const rows = new FilteredTable(table, own, this.#asker)
      return {
        table,
        isSingleton,
        section,
        filtered: { rows, writer: new ViewSection(rows, section) }
      }
    })
    this.#filtered = this.#shown.flatMap(({ filtered }) => (filtered === null ? [] : filtered.rows))
  }

  /** Whether there may be something to tell although the state did not change. */
  get due(): boolean {
    return this.#due
  }

  /** How many audiences and sights are held, those that no record has any more among them. */
  get kept(): number {
    return this.#filtered.reduce((sum, { kept }) => sum + kept, this.#asker.audiences.size)
  }

  /** Lets a viewer in, who gets all that it sees by `encodeFull`. Nothing may be pending. */
  enter(who: V | null): Viewer<V> {
    this.#demandSettled()
    const place = this.#free.pop() ?? this.#places
    if (place === this.#places) this.#places += 1
    const viewer = { who, place }
    this.#asker.viewers = [...this.#asker.viewers, viewer]
    for (const table of this.#filtered) table.enter(viewer)
    this.#asker.settle()
    this.#changes.settle()
    return viewer
  }

  leave(viewer: Viewer<V>): void {
    const { viewers } = this.#asker
    if (!viewers.includes(viewer)) return
    this.#asker.viewers = viewers.filter((other) => other !== viewer)
    for (const table of this.#filtered) {
      for (const rule of table.rules()) table.dueFor(rule).viewers.delete(viewer)
    }
    // The rules are asked anew about the next viewer that gets this place.
    this.#free.push(viewer.place)
  }

  /** All that a viewer sees. Nothing may be pending. */
  encodeFull({ place }: Viewer<V>): Uint8Array {
    this.#demandSettled()
    const writer = this.#writer
    writer.reset()
    for (const { table, isSingleton, filtered } of this.#shown) {
      if (filtered !== null) filtered.writer.writeFull(writer, place)
      else if (isSingleton) writeFullSingleton(writer, table)
      else writeFullCollection(writer, table)
    }
    return writer.finish()
  }

  /** Another viewer who sees the same as this one. Nothing may be pending. */
  twinOf(viewer: Viewer<V>): Viewer<V> | undefined {
    this.#demandSettled()
    const { viewers } = this.#asker
    const partition = new Partition(viewers.map(({ place }) => place))
    const sights = this.#filtered.flatMap((table) => [...table.sights()])
    for (const audience of new Set(sights.flatMap(audiencesOf))) partition.refine(audience)
    const own = partition.classes[viewers.indexOf(viewer)]
    return viewers.find((other, at) => other !== viewer && partition.classes[at] === own)
  }

  /** Asks every rule again. */
  refresh(): void {
    this.#demandNoRule()
    this.#due = true
    for (const table of this.#filtered) {
      for (const rule of table.rules()) table.dueFor(rule).all = true
    }
  }

  /** Asks every rule again about one viewer. */
  refreshViewer(viewer: Viewer<V>): void {
    this.#demandNoRule()
    this.#dueFor(viewer, () => true)
  }

  /** Asks the rules again that read what may have changed about the viewer itself. */
  viewerChanged(viewer: Viewer<V>): void {
    this.#demandNoRule()
    this.#dueFor(viewer, ({ readsViewer }) => readsViewer)
  }

  /** Asks the rules again about one record. @returns false = no rule is about it */
  refreshRecord(record: object): boolean {
    this.#demandNoRule()
    for (const table of this.#filtered) {
      const row = rowOf(table.table, record)
      if (row === undefined) continue
      this.#due = true
      table.lookAt(row)
      return true
    }
    return false
  }

  /** What changed since the last call, once for all viewers who see the same of it; nothing is pending afterwards. */
  flush(): ReadonlyArray<ViewDelta<V>> {
    const { viewers } = this.#asker
    if (viewers.length === 0) {
      for (const table of this.#filtered) table.clear()
      this.#settle()
      return []
    }
    this.#askAgain()
    const places = viewers.map(({ place }) => place)
    const sections = this.#shown.flatMap((shown) => this.#sectionOf(shown, places))
    this.#asker.settle()
    this.#settle()
    return this.#deltas(sections, viewers)
  }

  #dueFor(viewer: Viewer<V>, isDue: (rule: { readonly readsViewer: boolean }) => boolean): void {
    for (const table of this.#filtered) {
      for (const rule of table.rules()) {
        if (!isDue(rule)) continue
        this.#due = true
        table.dueFor(rule).viewers.add(viewer)
      }
    }
  }

  /** Rules that have read of other records what has changed there may say something else of any record. */
  #askAgain(): void {
    for (const table of this.#filtered) {
      for (const rule of table.rules()) {
        if (this.#changes.touch(rule.others)) table.dueFor(rule).all = true
      }
    }
  }

  #sectionOf(shown: ShownTable<V>, places: ReadonlyArray<number>): ReadonlyArray<Section> {
    const { table, isSingleton, section, filtered } = shown
    const writer = this.#writer
    writer.reset()
    if (filtered === null) {
      if (isSingleton) writeSingletonDelta(writer, table, section)
      else writeCollectionDelta(writer, table, section)
      return writer.length === 0 ? [] : [{ partition: null, bytes: [writer.finish()] }]
    }
    const buckets = filtered.rows.changes()
    if (buckets.isEmpty) return []
    const partition = partitionBy(buckets, places)
    const bytes = partition.first().map((index) => {
      writer.reset()
      const place = places[index] ?? 0
      if (isSingleton) filtered.writer.writeSingleton(writer, buckets, place)
      else filtered.writer.writeCollection(writer, buckets, place)
      return writer.finish()
    })
    return [{ partition, bytes }]
  }

  #deltas(
    sections: ReadonlyArray<Section>,
    viewers: ReadonlyArray<Viewer<V>>
  ): ReadonlyArray<ViewDelta<V>> {
    const all = new Partition(viewers.map(({ place }) => place))
    for (const { partition } of sections) if (partition !== null) all.meet(partition)
    const members = Array.from({ length: all.count }, (): Array<Viewer<V>> => [])
    for (const [index, viewer] of viewers.entries()) members[all.classes[index] ?? 0]?.push(viewer)
    const writer = this.#writer
    return all.first().flatMap((index, each) => {
      writer.reset()
      for (const { partition, bytes } of sections) {
        writer.raw(bytes[partition?.classes[index] ?? 0] ?? noBytes)
      }
      return writer.length === 0 ? [] : [{ viewers: members[each] ?? [], delta: writer.finish() }]
    })
  }

  #settle(): void {
    this.#state.discardDelta()
    this.#changes.settle()
    this.#due = false
    this.#sweep()
  }

  /** Audiences come and go with what rules say: most are of use once. */
  #sweep(): void {
    if (this.kept < 2 * this.#keptBefore + SweepFrom) return
    const live = new Set<Audience>()
    for (const table of this.#filtered) table.keepLive(live)
    this.#asker.audiences.keep(live)
    this.#keptBefore = this.kept
  }

  #demandNoRule(): void {
    if (this.#asker.asking) throw new Error("a rule cannot change what it is asked about")
  }

  #demandSettled(): void {
    if (this.#state.dirty || this.#due) throw new Error("changes are pending: call flush first")
  }
}

const SweepFrom = 64
const noBytes = new Uint8Array(0)

/** A section of the delta: its bytes for each class of viewers, of which some get none. */
interface Section {
  /** `null` = all viewers get the same. */
  readonly partition: Partition | null
  readonly bytes: ReadonlyArray<Uint8Array>
}

/** Parts the viewers by all that decides what they get of some changes. */
const partitionBy = (buckets: Buckets, places: ReadonlyArray<number>): Partition => {
  const partition = new Partition(places)
  const seen = new Set<Audience>()
  for (const { known, now } of buckets) {
    for (const sight of known === now ? [now] : [known, now]) {
      if (sight === null) continue
      for (const audience of audiencesOf(sight)) {
        if (seen.has(audience)) continue
        seen.add(audience)
        partition.refine(audience)
      }
    }
  }
  return partition
}

const rowOf = (table: RoomTable, record: object): Row | undefined => {
  const id: unknown = Reflect.get(record, "id")
  const row = typeof id === "number" ? table.rows.get(id) : undefined
  return row === record ? row : undefined
}
