import { makeLive } from "@atrium/wire/codec/LiveValue"
import {
  otherFields,
  type OtherFields,
  packPlayer,
  unpackPlayer
} from "@atrium/wire/codec/PlayerCodec"
import type { AnyField } from "@atrium/wire/schema/Field"
import { FieldError, problemAt } from "@atrium/wire/schema/FieldError"
import type { FieldList } from "@atrium/wire/schema/RoomSchema"
import { Wire } from "@atrium/wire/schema/Wire"

/** One player's persisted fields in a room, shared by all sessions of that player. */
export interface PlayerRecord {
  readonly playerId: string
  /** The record that room code sees: one checked property per field. */
  readonly fields: object
  pack(): Uint8Array
}

interface Entry extends PlayerRecord {
  load(bytes: Uint8Array | null): void
  /** Forgets what changed within the values. */
  settle(): void
  sessions: number
  /** A snapshot's values may be older than the stored ones; a join's are the stored ones. */
  fromSnapshot: boolean
}

/** The persisted fields of the players who have a session in the room. */
export class Players {
  readonly #fields: FieldList
  readonly #entries = new Map<string, Entry>()
  readonly #changed = new Set<Entry>()
  readonly #onChange: (playerId: string) => void
  /** Grows with each field that is read. */
  reads = 0

  /** @param onChange a field of the player changes: what it throws refuses that */
  constructor(fields: FieldList, onChange: (playerId: string) => void) {
    this.#fields = fields
    this.#onChange = onChange
  }

  /**
   * The record for one more session of a player.
   *
   * @param stored the fields as the service has them, or as a snapshot had them
   * Errors: `CodecError`; then nothing changed.
   */
  take(
    playerId: string,
    stored: { readonly bytes: Uint8Array | null; readonly fromSnapshot: boolean }
  ): PlayerRecord {
    const entry = this.#entries.get(playerId) ?? this.#make(playerId)
    const known = this.#entries.has(playerId)
    if (!known) entry.load(stored.bytes)
    this.#entries.set(playerId, entry)
    entry.sessions++
    if (!known) entry.fromSnapshot = stored.fromSnapshot
    else if (!stored.fromSnapshot) this.refresh(playerId, stored.bytes)
    return entry
  }

  /**
   * Takes over the service's fields of a player who came back, if the room only has a snapshot's.
   * Errors: `CodecError`.
   */
  refresh(playerId: string, bytes: Uint8Array | null): void {
    const entry = this.#entries.get(playerId)
    if (entry === undefined || !entry.fromSnapshot) return
    if (bytes !== null && !this.#changed.has(entry)) {
      entry.load(bytes)
      this.#onChange(playerId)
    }
    entry.fromSnapshot = false
  }

  /** A session of the player is over. */
  release(playerId: string): void {
    const entry = this.#entries.get(playerId)
    if (entry === undefined) return
    entry.sessions--
    if (entry.sessions <= 0) this.#entries.delete(playerId)
  }

  /** Hands out what changed since the last call. */
  flush(send: (playerId: string, bytes: Uint8Array) => void): void {
    for (const entry of this.#changed) {
      send(entry.playerId, entry.pack())
      entry.settle()
    }
    this.#changed.clear()
  }

  #make(playerId: string): Entry {
    const fields = this.#fields
    let others: OtherFields = {}
    let loading = false
    const changed = (name: string): void => {
      if (loading) return
      // What this version could not hold gives way to what its code says.
      if (Object.hasOwn(others, name)) {
        const { [name]: _, ...rest } = others
        others = rest
      }
      this.#changed.add(entry)
    }
    const changing = (): void => {
      if (!loading) this.#onChange(playerId)
    }
    const cells = fields.map(({ name, field }) =>
      makeCell(field, name, { changing, changed: () => changed(name) })
    )
    const properties: PropertyDescriptorMap = {}
    for (const { name, index } of fields) {
      const cell = cells[index]
      properties[name] = {
        enumerable: true,
        get: () => {
          this.reads++
          return cell?.get()
        },
        set: (value: unknown) => {
          cell?.set(value)
          changed(name)
        }
      }
    }
    const shown = Object.preventExtensions(Object.defineProperties({}, properties))
    const settle = (): void => {
      for (const cell of cells) cell.settle()
    }
    const entry: Entry = {
      playerId,
      fields: shown,
      sessions: 0,
      fromSnapshot: false,
      pack: () => packPlayer(fields, shown, others),
      settle,
      load: (bytes) => {
        const loaded = unpackPlayer(fields, bytes)
        others = otherFields(fields, bytes)
        loading = true
        for (const { name, index } of fields) cells[index]?.set(loaded[name])
        loading = false
        settle()
      }
    }
    return entry
  }
}

/** The value of one field. */
interface Cell {
  get(): unknown
  /** Throws `FieldError`. */
  set(value: unknown): void
  settle(): void
}

interface CellParts {
  /** The value is about to change: what it throws refuses that. */
  readonly changing: () => void
  /** Hears of a change within the value, once until it is settled. */
  readonly changed: () => void
}

const makeCell = (field: AnyField, name: string, { changing, changed }: CellParts): Cell => {
  const path = `player.${name}`
  const stored = (value: unknown): unknown => {
    const problem = field.check(value)
    if (problem !== null) throw new FieldError(problemAt(path, problem))
    return field.wire < Wire.string ? field.toNumber(value) : field.toStored(value)
  }
  if (field.live) {
    const holder = {
      removed: false,
      pathOf: () => path,
      demandUnlocked: changing,
      changedAt: changed
    }
    const live = makeLive({ field, holder }, field.toStored(field.default))
    return {
      get: () => live.value,
      set: (value) => {
        const next = stored(value)
        changing()
        live.assign(next, value)
      },
      settle: () => live.settle()
    }
  }
  let held = stored(field.default)
  return {
    get: () =>
      typeof held === "number" && field.wire < Wire.string
        ? field.fromNumber(held)
        : field.fromStored(held),
    set: (value) => {
      const next = stored(value)
      changing()
      held = next
    },
    settle: () => {}
  }
}
