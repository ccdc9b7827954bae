import type { Field } from "./Field.ts"

/** The value that a field holds. */
export type ValueOf<F> = F extends Field<infer T, unknown> ? T : never

/** The values of some fields, by name. */
export type ValuesOf<F> = { -readonly [K in keyof F]: ValueOf<F[K]> }

/**
 * The value of a field as a client reads it: nothing in it can be assigned, and it is `undefined` for a choice
 * that only the room knows.
 */
export type SeenValueOf<F> = F extends Field<unknown, infer Seen> ? Seen : never

/** The values of some fields as a client reads them, by name. */
export type SeenOf<F> = { readonly [K in keyof F]: SeenValueOf<F[K]> }

/**
 * A map of the room, in the order in which its entries were added. A `Map` can be assigned to the field:
 * its entries are copied.
 */
export interface MapOf<K, V> extends ReadonlyMap<K, V> {
  /** Adds or replaces an entry. Throws `FieldError` for what does not fit, and changes nothing. */
  set(key: K, value: V): MapOf<K, V>
  /** Gives `false` when there was no such entry. */
  delete(key: K): boolean
  clear(): void
}

/** A value of the room, to be read only: nothing within it can be assigned. */
export type ReadonlyValue<T> = T extends string | number | boolean | undefined | Uint8Array
  ? T
  : T extends ReadonlyMap<infer K, infer V>
    ? ReadonlyMap<K, ReadonlyValue<V>>
    : T extends ReadonlyArray<infer V>
      ? ReadonlyArray<ReadonlyValue<V>>
      : { readonly [K in keyof T]: ReadonlyValue<T[K]> }

/** The values of some fields of the room, to be read only, by name. */
export type ReadonlyValuesOf<F> = { readonly [K in keyof F]: ReadonlyValue<ValueOf<F[K]>> }

type OptionalNames<F> = {
  [K in keyof F]: undefined extends ValueOf<F[K]> ? K : never
}[keyof F]

type Flat<T> = { [K in keyof T]: T[K] }

/** The values of a struct or of a message, by name. Those that may be absent may be left out. */
export type StructOf<F> = [OptionalNames<F>] extends [never]
  ? ValuesOf<F>
  : Flat<ValuesOf<Omit<F, OptionalNames<F>>> & Partial<ValuesOf<Pick<F, OptionalNames<F>>>>>
