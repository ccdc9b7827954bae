import type { Mask } from "../codec/Mask.ts"
import type { RoomTable } from "../codec/RoomTable.ts"

/** State as a rule reads it: nothing in it can be assigned. */
export interface ReadableState {
  readonly state: Readonly<Record<string, object>>
  readonly hidden: Readonly<Record<string, object>>
}

/**
 * Says whether a viewer may see a record, or a field of it. Anything but `true` is no.
 *
 * @param record the record, whose fields cannot be assigned
 * @param room the rest of the state
 */
export type Asks<V> = (viewer: V, record: object, room: ReadableState) => unknown

/** What a rule has read of a table other than the record that it was asked about. */
export interface TableReads {
  readonly fields: Mask
  /** The rule looked a record up, or listed or counted the records. */
  members: boolean
}

/** A rule with all that its answers have depended on so far. */
export interface ViewRule<V> {
  /** What error texts call it: `hands`, or `players.cards`. */
  readonly path: string
  readonly asks: Asks<V>
  /** Fields of the record itself. */
  readonly own: Mask
  readonly others: Map<RoomTable, TableReads>
  /** It read data of the viewer that may change. */
  readsViewer: boolean
  /** Its last failure was told, and it has failed ever since. */
  failing: boolean
}

/** The rules of one collection or singleton. */
export interface ShapeRules<V> {
  /** Of the whole record; `null` = everybody sees it. */
  readonly record: Asks<V> | null
  /** Of fields, by name. */
  readonly fields: ReadonlyMap<string, Asks<V>>
}

export const makeViewRule = <V>(table: RoomTable, path: string, asks: Asks<V>): ViewRule<V> => ({
  path,
  asks,
  own: new Uint8Array(table.maskBytes),
  others: new Map(),
  readsViewer: false,
  failing: false
})
