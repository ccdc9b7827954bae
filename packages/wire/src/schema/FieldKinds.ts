import { makeField, makeItemField, type Field, type ItemField } from "./Field.ts"
import type { IntegerKind } from "./FieldSpec.ts"
import { unknownKey } from "./UnknownKey.ts"

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

/** A message, argument or answer of any msgpack value. It is not checked: the receiver must. */
export interface Untyped {
  readonly kind: "untyped"
}

/** Makes a field of numbers. */
export type NumberField = (options?: DefaultOption<number>) => ItemField<number>

const optionsProblem = (
  options: object | undefined,
  known: ReadonlyArray<string> = ["default"]
): string | null => {
  if (options === undefined) return null
  if (typeof options !== "object" || options === null) return "its options must be an object"
  return unknownKey(options, known)
}

const numeric =
  (kind: IntegerKind | "f32" | "f64"): NumberField =>
  (options) =>
    makeItemField<number>({ kind, default: options?.default ?? 0 }, optionsProblem(options))

/**
 * The field kinds of a schema. A default that is left out is `false`, 0, empty, the first choice,
 * no entity; of a quantised field it is 0 where the range holds 0, else `min`.
 */
export const s = {
  /** `true` or `false`. */
  bool: (options?: DefaultOption<boolean>): ItemField<boolean> =>
    makeItemField({ kind: "bool", default: options?.default ?? false }, optionsProblem(options)),
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
  quantised: (options: QuantisedOptions): ItemField<number> =>
    makeItemField(
      {
        kind: "quantised",
        min: options.min,
        max: options.max,
        step: options.step,
        default: options.default ?? (options.min > 0 || options.max < 0 ? options.min : 0)
      },
      optionsProblem(options, ["min", "max", "step", "default"])
    ),
  /** Text of at most `maxBytes` bytes of UTF-8. */
  string: (maxBytes: number, options?: DefaultOption<string>): ItemField<string> =>
    makeItemField(
      { kind: "string", maxBytes, default: options?.default ?? "" },
      optionsProblem(options)
    ),
  /** At most `maxBytes` bytes. Copied in and out: changing the array later changes nothing. */
  bytes: (maxBytes: number, options?: DefaultOption<Uint8Array>): ItemField<Uint8Array> =>
    makeItemField(
      { kind: "bytes", maxBytes, default: options?.default ?? new Uint8Array(0) },
      optionsProblem(options)
    ),
  /**
   * One of the choices; the first is the default. A client reads `undefined` for a choice that a later
   * deployment has added, and `unknownChoice` tells its place.
   */
  enum: <const C extends readonly [string, ...string[]]>(
    ...choices: C
  ): ItemField<C[number], C[number] | undefined> =>
    makeItemField({ kind: "enum", choices, default: choices[0] }),
  /** The id of an entity of a collection, 0 for none. The entity may be gone: `get` tells. */
  ref: (collection: string): ItemField<number> =>
    makeItemField({ kind: "ref", collection, default: 0 }),
  /** At most `maxLength` items. Assigning replaces the whole list; it cannot be changed in place. */
  list: <T, Seen>(
    of: ItemField<T, Seen>,
    maxLength: number,
    options?: DefaultOption<ReadonlyArray<T>>
  ): Field<ReadonlyArray<T>, ReadonlyArray<Seen>> =>
    makeField(
      { kind: "list", of: of.spec, maxLength, default: options?.default ?? [] },
      optionsProblem(options) ?? of.problem
    ),
  /** A whole message, RPC argument or RPC answer without a declared shape. */
  untyped: (): Untyped => ({ kind: "untyped" })
} as const
