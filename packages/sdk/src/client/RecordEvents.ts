import { ObservedTable } from "@atrium/wire/codec/ObservedTable"
import { makeStateView, type StateView } from "@atrium/wire/codec/StateView"
import type { CollectionView, ViewOf } from "@atrium/wire/schema/Inference"
import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"

import { surface, type Unsubscribe } from "./Listeners.ts"

/** A record of a collection as a client sees it, or a singleton, by the name of the part of the state. */
export type RecordOf<S, N extends keyof ViewOf<S>> =
  ViewOf<S>[N] extends CollectionView<infer E> ? E : ViewOf<S>[N]

/** The names of the fields of a record or of a singleton. */
export type FieldName<R> = Exclude<keyof R, "id" | "toJSON"> & string

/** Hears of the records of one collection. */
export interface RecordListeners<R> {
  /** The record is new here: it was added, or came into sight. */
  readonly add?: (record: R) => void
  /** These fields of the record have changed. The record is the object that `add` got. */
  readonly change?: (record: R, fields: ReadonlyArray<FieldName<R>>) => void
  /** The record is gone: it was removed, or went out of sight. It keeps its last values. */
  readonly remove?: (record: R) => void
}

/** Hears of one singleton. */
export interface SingletonListeners<R> {
  /** These fields have changed. */
  readonly change: (singleton: R, fields: ReadonlyArray<FieldName<R>>) => void
}

/** The same without what a schema says of it. */
export interface AnyListeners {
  readonly add?: (record: object) => void
  readonly change?: (record: object, fields: ReadonlyArray<string>) => void
  readonly remove?: (record: object) => void
}

/** A client's state, with its tables by name. */
export interface ObservedView extends StateView<AnyRoomSchema> {
  readonly tables: ReadonlyMap<string, ObservedTable>
}

export const makeObservedView = (schema: AnyRoomSchema): ObservedView => {
  const tables = new Map<string, ObservedTable>()
  const view = makeStateView(schema, (shape) => {
    const table = new ObservedTable(shape)
    tables.set(shape.name, table)
    return table
  })
  return { ...view, tables }
}

/** The listeners of records. A table without one notes nothing. */
export class RecordEvents {
  readonly #byName = new Map<string, Set<AnyListeners>>()
  #tables: ObservedView["tables"]

  constructor({ tables }: ObservedView) {
    this.#tables = tables
  }

  on(name: string, listeners: AnyListeners): Unsubscribe {
    // A listener that comes with a reconnect finds the new state: what has led to it is for the others.
    this.tell()
    const all = this.#byName.get(name) ?? new Set()
    // An object that is given twice is two listeners.
    const own = { ...listeners }
    this.#byName.set(name, all.add(own))
    this.#tables.get(name)?.observe()
    return () => {
      if (!all.delete(own) || all.size > 0) return
      this.#byName.delete(name)
      this.#tables.get(name)?.unobserve()
    }
  }

  /** Another view has taken the place of the one before. */
  moved({ tables }: ObservedView): void {
    for (const name of this.#byName.keys()) {
      const before = this.#tables.get(name)
      if (before !== undefined) tables.get(name)?.succeed(before)
    }
    this.#tables = tables
  }

  /** Tells what has changed since the last time. The state is whole. */
  tell(): void {
    if (this.#byName.size === 0) return
    // A call may add listeners, which hear of what comes next, and take others away.
    const news = [...this.#byName].map(([name, all]) => {
      const changes = this.#tables.get(name)?.take() ?? null
      return { changes, all, listeners: [...all] }
    })
    for (const { changes, all, listeners } of news) {
      if (changes === null) continue
      const call = (tell: (own: AnyListeners) => void): void => {
        for (const own of listeners) if (all.has(own)) guarded(() => tell(own))
      }
      for (const row of changes.removed) call(({ remove }) => remove?.(row))
      for (const row of changes.added) call(({ add }) => add?.(row))
      for (const [row, fields] of changes.changed) call(({ change }) => change?.(row, [...fields]))
    }
  }
}

const guarded = (call: () => void): void => {
  try {
    call()
  } catch (error) {
    surface(error)
  }
}
