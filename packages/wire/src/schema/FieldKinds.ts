import { innerProblem, optionsProblem } from "#schema/SchemaChecks"

import { type AnyField, type Field, type Fields, isField, makeField } from "./Field.ts"
import type { FieldSpec, IntegerKind } from "./FieldSpec.ts"
import type { MapOf, SeenOf, StructOf } from "./FieldValues.ts"
import { SchemaLimits } from "./SchemaLimits.ts"
import type { Untyped } from "./Untyped.ts"

/** The default of a new entity, of a singleton and of a persisted player who has no value yet. */
export interface DefaultOption<T> {
  readonly default?: T
}

/** A number from `min` to `max` in whole steps; `max - min` is a multiple of `step`. */
export interface QuantisedOptions extends DefaultOption<number> {
  readonly min: number
  readonly max: number
  readonly step: number
}

/** Makes a field of numbers. */
export type NumberField = (options?: DefaultOption<number>) => Field<number>

const numeric =
  (kind: IntegerKind | "f32" | "f64"): NumberField =>
  (options) =>
    makeField({ kind, default: options?.default }, optionsProblem(options))

/** The spec of a field. A value that is no field gets a placeholder: `innerProblem` reports the value. */
const specOf = (field: AnyField): FieldSpec =>
  isField(field) ? field.spec : { kind: "bool", default: false }

/**
 * The field kinds of a schema. A default that is left out is `false`, 0, empty, the first choice,
 * no entity, absent; of a quantised field it is 0 where the range holds 0, else `min`. Structs, maps and
 * lists hold other kinds, up to four of them in one another.
 */
export const s = {
  /** `true` or `false`. */
  bool: (options?: DefaultOption<boolean>): Field<boolean> =>
    makeField({ kind: "bool", default: options?.default }, optionsProblem(options)),
  /** A whole number, 0 to 255. */
  u8: numeric("u8"),
  /** A whole number, -128 to 127. */
  i8: numeric("i8"),
  /** A whole number, 0 to 65,535. */
  u16: numeric("u16"),
  /** A whole number, -32,768 to 32,767. */
  i16: numeric("i16"),
  /** A whole number, 0 to 4,294,967,295. */
  u32: numeric("u32"),
  /** A whole number, -2,147,483,648 to 2,147,483,647. */
  i32: numeric("i32"),
  /** A finite number, rounded to 32 bits when it is stored: what is read back is the rounded one. */
  f32: numeric("f32"),
  /** A finite number. */
  f64: numeric("f64"),
  /** A number rounded to the nearest step when it is stored; 1, 2 or 4 bytes on the wire. */
  quantised: (options: QuantisedOptions): Field<number> =>
    makeField(
      {
        kind: "quantised",
        // Adding 0 turns -0 into 0, which is how JSON writes it.
        min: options.min + 0,
        max: options.max + 0,
        step: options.step,
        default: options.default
      },
      optionsProblem(options, ["min", "max", "step", "default"])
    ),
  /** Text of at most `maxBytes` bytes of UTF-8. */
  string: (maxBytes: number, options?: DefaultOption<string>): Field<string> =>
    makeField({ kind: "string", maxBytes, default: options?.default }, optionsProblem(options)),
  /** At most `maxBytes` bytes. Copied in and out: changing the array later changes nothing. */
  bytes: (maxBytes: number, options?: DefaultOption<Uint8Array>): Field<Uint8Array> =>
    makeField({ kind: "bytes", maxBytes, default: options?.default }, optionsProblem(options)),
  /**
   * One of the choices; the first is the default. A client reads `undefined` for a choice that a later
   * deployment has added, and `unknownChoice` tells its place.
   */
  enum: <const C extends readonly [string, ...string[]]>(
    ...choices: C
  ): Field<C[number], C[number] | undefined> => makeField({ kind: "enum", choices }),
  /** The id of an entity of a collection, 0 for none. The entity may be gone: `get` tells. */
  ref: (collection: string): Field<number> => makeField({ kind: "ref", collection }),
  /**
   * At most `maxLength` items. Assigning replaces the whole list, which is no array to push into. Structs
   * and maps in it can be changed where they are, and stay the same objects while they stay in the list.
   * Only a list of plain kinds has a default.
   */
  list: <T, Seen>(
    of: Field<T, Seen>,
    maxLength: number,
    options?: DefaultOption<ReadonlyArray<T>>
  ): Field<ReadonlyArray<T>, ReadonlyArray<Seen>> =>
    makeField(
      { kind: "list", of: specOf(of), maxLength, default: options?.default },
      optionsProblem(options) ?? innerProblem("[]", of)
    ),
  /**
   * Several fields as one value, each with its own default. Room code changes them where they are:
   * `unit.at.x = 3`. Assigning an object sets all of them; what it leaves out gets its default.
   */
  struct: <const F extends Fields>(fields: F): Field<StructOf<F>, SeenOf<F>> => {
    const entries: ReadonlyArray<readonly [string, AnyField]> = Object.entries(fields ?? {})
    const problems = entries.map(([name, field]) => innerProblem(`.${name}`, field))
    return makeField(
      { kind: "struct", fields: entries.map(([name, field]) => ({ name, spec: specOf(field) })) },
      problems.find((problem) => problem !== null)
    )
  },
  /**
   * Values by key, at most `maxEntries` of them (256). A key is a whole number, a text, a choice or a
   * `ref`. Room code changes entries where they are: `unit.bag.set("rope", { count: 2 })`.
   */
  map: <K extends string | number, V, Seen>(
    key: Field<K, unknown>,
    value: Field<V, Seen>,
    maxEntries: number = SchemaLimits.mapEntriesDefault.max
  ): Field<MapOf<K, V>, ReadonlyMap<K, Seen>> =>
    makeField(
      { kind: "map", key: specOf(key), value: specOf(value), maxEntries },
      innerProblem(" key", key) ?? innerProblem("[]", value)
    ),
  /** A value, or `undefined`: that is the default. */
  optional: <T, Seen>(of: Field<T, Seen>): Field<T | undefined, Seen | undefined> =>
    makeField({ kind: "optional", of: specOf(of) }, innerProblem("", of)),
  /** A whole message, RPC argument or RPC answer without a declared shape. */
  untyped: (): Untyped => ({ kind: "untyped" })
} as const
