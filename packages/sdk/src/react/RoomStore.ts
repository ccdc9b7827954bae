import type { Unsubscribe } from "../client/Listeners.ts"

/** A room without what its schema says. */
export interface AnyRoom {
  readonly state: object
  on(name: string, listeners: object): Unsubscribe
  onStateChange(call: () => void): Unsubscribe
}

/** A value of a room's state that a component shows. Both functions are for `useSyncExternalStore`. */
export interface Shown<T> {
  subscribe(notify: () => void): Unsubscribe
  get(): T
}

/** What a component looks at. */
interface Sight<T> {
  /** A collection or a singleton; `null` = nothing that changes. */
  readonly part: string | null
  /** One record, by its id; `null` = all of them, and their coming and going. */
  readonly id: number | null
  readonly fields: ReadonlyArray<string>
  readonly read: () => T
}

interface Watcher {
  readonly id: number | null
  readonly fields: ReadonlyArray<string>
  readonly changed: () => void
  readonly notify: () => void
}

/**
 * What the components of one room share: one listener for each part of the state, however many components look at it. A
 * component hears once of a patch, and only of one that changes what it shows.
 */
export class RoomStore {
  readonly #room: AnyRoom
  readonly #parts = new Map<string, PartWatchers>()
  readonly #changed = new Set<Watcher>()
  /** Grows with each state. */
  #revision = 0

  constructor(room: AnyRoom) {
    this.#room = room
    room.onStateChange(() => {
      this.#revision += 1
      const changed = [...this.#changed]
      this.#changed.clear()
      for (const { notify } of changed) notify()
    })
  }

  show<T>({ part, id, fields, read }: Sight<T>): Shown<T> {
    let value = read()
    let readAt = this.#revision
    let watched = false
    let stale = false
    const get = (): T => {
      // Without a subscription no listener marks the value stale, so that each new state is read again.
      if (watched ? stale : readAt !== this.#revision) value = read()
      stale = false
      readAt = this.#revision
      return value
    }
    const subscribe = (notify: () => void): Unsubscribe => {
      if (part === null) return () => {}
      const watcher: Watcher = { id, fields, notify, changed: () => (stale = true) }
      const off = this.#partOf(part).add(watcher)
      stale = readAt !== this.#revision
      watched = true
      return () => {
        watched = false
        this.#changed.delete(watcher)
        off()
      }
    }
    return { subscribe, get }
  }

  #partOf(name: string): PartWatchers {
    const known = this.#parts.get(name)
    if (known !== undefined) return known
    const part = new PartWatchers((listeners) => this.#room.on(name, listeners), this.#changed)
    this.#parts.set(name, part)
    return part
  }
}

/** Those who look at one collection or singleton. It has a listener while there are any. */
class PartWatchers {
  readonly #listen: (listeners: object) => Unsubscribe
  readonly #changed: Set<Watcher>
  readonly #byRecord = new Map<number | null, Set<Watcher>>()
  #off: Unsubscribe | null = null

  /** @param changed takes those whose sight has changed */
  constructor(listen: (listeners: object) => Unsubscribe, changed: Set<Watcher>) {
    this.#listen = listen
    this.#changed = changed
  }

  add(watcher: Watcher): Unsubscribe {
    const watchers = this.#byRecord.get(watcher.id) ?? new Set()
    this.#byRecord.set(watcher.id, watchers.add(watcher))
    this.#off ??= this.#listen({
      add: ({ id }: { readonly id: number }) => this.#tell(id, null),
      remove: ({ id }: { readonly id: number }) => this.#tell(id, null),
      change: ({ id }: { readonly id: number }, fields: ReadonlyArray<string>) =>
        this.#tell(id, fields)
    })
    return () => {
      watchers.delete(watcher)
      if (watchers.size === 0) this.#byRecord.delete(watcher.id)
      if (this.#byRecord.size > 0) return
      this.#off?.()
      this.#off = null
    }
  }

  /** @param fields those that have changed; `null` = the record has come or gone */
  #tell(id: number, fields: ReadonlyArray<string> | null): void {
    for (const record of [id, null]) {
      for (const watcher of this.#byRecord.get(record) ?? []) {
        if (fields !== null && !fields.some((field) => watcher.fields.includes(field))) continue
        watcher.changed()
        this.#changed.add(watcher)
      }
    }
  }
}

const stores = new WeakMap<object, RoomStore>()

/** The store of a room, which lives as long as the room. */
export const storeOf = (room: AnyRoom): RoomStore => {
  const known = stores.get(room)
  if (known !== undefined) return known
  const store = new RoomStore(room)
  stores.set(room, store)
  return store
}
