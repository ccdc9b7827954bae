import {
  otherFields,
  type OtherFields,
  packPlayer,
  unpackPlayer
} from "@atrium/wire/codec/PlayerCodec"
import type { AnyField } from "@atrium/wire/schema/Field"
import { FieldError } from "@atrium/wire/schema/FieldError"
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
    for (const entry of this.#changed) send(entry.playerId, entry.pack())
    this.#changed.clear()
  }

  #make(playerId: string): Entry {
    const fields = this.#fields
    const values = new Map<string, unknown>()
    const read = ({ name, field }: { name: string; field: AnyField }): unknown =>
      publicForm(field, values.get(name))
    let others: OtherFields = {}
    const properties: PropertyDescriptorMap = {}
    for (const named of fields) {
      const { name, field } = named
      properties[name] = {
        enumerable: true,
        get: () => {
          this.reads++
          return read(named)
        },
        set: (value: unknown) => {
          const problem = field.check(value)
          if (problem !== null) throw new FieldError(`player.${name}: ${problem}`)
          this.#onChange(playerId)
          values.set(name, storedForm(field, value))
          // What this version could not hold gives way to what its code says.
          if (Object.hasOwn(others, name)) {
            const { [name]: _, ...rest } = others
            others = rest
          }
          this.#changed.add(entry)
        }
      }
    }
    const shown = Object.preventExtensions(Object.defineProperties({}, properties))
    const entry: Entry = {
      playerId,
      fields: shown,
      sessions: 0,
      fromSnapshot: false,
      pack: () => packPlayer(fields, shown, others),
      load: (bytes) => {
        const loaded = unpackPlayer(fields, bytes)
        others = otherFields(fields, bytes)
        for (const { name, field } of fields) values.set(name, storedForm(field, loaded[name]))
      }
    }
    return entry
  }
}

const storedForm = (field: AnyField, value: unknown): unknown =>
  field.wire < Wire.string ? field.toNumber(value) : field.toStored(value)

const publicForm = (field: AnyField, stored: unknown): unknown =>
  typeof stored === "number" && field.wire < Wire.string
    ? field.fromNumber(stored)
    : field.fromStored(stored)
