import { explain } from "./FieldCheck.ts"
import { type FieldSpec, type GivenSpec, IntegerRanges, withDefault } from "./FieldSpec.ts"
import { FrozenMap } from "./FrozenMap.ts"
import { stepValue, stepsIn } from "./Quantise.ts"
import { known, shownOf, unknownAt } from "./UnknownChoice.ts"
import { typeOf, Wire, wireOf } from "./Wire.ts"

/**
 * One declared field. A value exists in two forms: the public one (`boolean`, `"red"`, `0.3`) and
 * the stored one: a number for the numeric kinds (0 or 1, the place of the choice, the count of
 * steps), and for all others a public value that nobody changes. A client sees `Seen`: an older one reads a
 * choice that it does not know as `undefined`.
 */
export interface Field<out T, out Seen = T> {
  readonly spec: FieldSpec
  /** The fault of the options that it was made with; judged, as bounds are, with the schema. */
  readonly problem: string | null
  /** The encoding, a value of `Wire`. */
  readonly wire: number
  /** The highest stored number of an enum, a quantised field or a boolean; 0 for other kinds. */
  readonly placeMax: number
  /** The field of a list's items, of a map's values, of what an optional holds; else `null`. */
  readonly item: AnyField | null
  /** The field of a map's keys, `null` for every other kind. */
  readonly key: AnyField | null
  /** The fields of a struct, none for every other kind. */
  readonly fields: FieldList
  /** Parts of the value change, and travel, by themselves. */
  readonly live: boolean
  /**
   * Says what is wrong with a value, `null` when it fits. The text does not name the field. Of a part
   * of the value it starts with the path: `[2].suit: …`.
   */
  check(value: unknown): string | null
  /** The stored form of a numeric kind; `NaN` when the value does not fit. */
  toNumber(value: unknown): number
  /** The public form of a number that {@link toNumber} gave. */
  fromNumber(stored: number): T
  /**
   * Reads choices that a client's enum does not have as `undefined` from now on.
   *
   * @param known the client's own field of this name
   * @returns whether all values have the type that the client knows
   * @internal
   */
  readAs(known: AnyField): boolean
  /** The stored form of a value of another kind, which fits: immutable or a copy. */
  toStored(value: unknown): unknown
  /** The public form of what {@link toStored} gave; bytes are copied. */
  fromStored(stored: unknown): T
  /** A value that fits, as every reader gets it: rounded, copied, frozen. */
  normal(value: unknown): T
  /** The public default. */
  readonly default: T
  /** Never there at run time: carries what a client sees for inference. */
  readonly "~seen"?: readonly [Seen]
}

/** A field of any value. */
export type AnyField = Field<unknown, unknown>

/** Fields by name, in the order in which they are encoded. */
export type Fields = Readonly<Record<string, AnyField>>

/** A field and its place in its shape. */
export interface NamedField {
  readonly name: string
  readonly index: number
  readonly field: AnyField
}

/** The fields of one shape in wire order. */
export type FieldList = ReadonlyArray<NamedField>

/** Bytes, and those in lists. */
const copyBytes = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return new Uint8Array(value)
  return Array.isArray(value) ? Object.freeze(value.map(copyBytes)) : value
}

const inner = (spec: FieldSpec | undefined): SpecField | null =>
  spec === undefined ? null : new SpecField(spec, null)

class SpecField {
  readonly spec: FieldSpec
  readonly problem: string | null
  readonly wire: number
  readonly placeMax: number
  readonly item: SpecField | null
  readonly key: SpecField | null
  readonly fields: ReadonlyArray<NamedField & { readonly field: SpecField }>
  readonly live: boolean
  readonly #bytes: boolean
  readonly #min: number
  readonly #max: number
  readonly #steps: number
  /** `undefined` = a choice that is not known here. */
  #choices: ReadonlyArray<string | undefined>
  readonly #places: ReadonlyMap<unknown, number>
  #default: unknown

  constructor(given: GivenSpec, problem: string | null) {
    const spec = withDefault(given)
    this.spec = spec
    this.problem = problem
    this.wire = wireOf(spec)
    this.item = inner("of" in spec ? spec.of : "value" in spec ? spec.value : undefined)
    this.key = inner("key" in spec ? spec.key : undefined)
    this.fields = Object.freeze(
      (spec.kind === "struct" ? spec.fields : []).map(({ name, spec: of }, index) => ({
        name,
        index,
        field: new SpecField(of, null)
      }))
    )
    this.live = spec.kind === "struct" || spec.kind === "map" || this.item?.live === true
    this.#bytes = spec.kind === "bytes" || (!this.live && this.item !== null && this.item.#bytes)
    const range = rangeOf(spec)
    this.#min = range.min
    this.#max = range.max
    this.#steps = spec.kind === "quantised" ? stepsIn(spec) : 0
    this.#choices = spec.kind === "enum" ? spec.choices : []
    this.placeMax = spec.kind === "bool" ? 1 : Math.max(this.#steps, this.#choices.length - 1, 0)
    this.#places = new Map(this.#choices.map((choice, place) => [choice, place]))
  }

  get default(): unknown {
    // Made once: a record or a message without the value shares it.
    this.#default ??= this.#whole(this.spec.default)
    return this.fromStored(this.#default)
  }

  check(value: unknown): string | null {
    return explain(this.spec, value)
  }

  toNumber(value: unknown): number {
    if (typeof value !== "number") {
      if (this.wire === Wire.bool) return value === true ? 1 : value === false ? 0 : Number.NaN
      if (this.wire === Wire.enum) return this.#places.get(value) ?? Number.NaN
      return Number.NaN
    }
    switch (this.wire) {
      case Wire.f32: {
        const rounded = Math.fround(value)
        return rounded - rounded === 0 ? rounded + 0 : Number.NaN
      }
      case Wire.f64:
        return value - value === 0 ? value + 0 : Number.NaN
      case Wire.quantised8:
      case Wire.quantised16:
      case Wire.quantised32: {
        if (!(value >= this.#min && value <= this.#max)) return Number.NaN
        return Math.round(((value - this.#min) / (this.#max - this.#min)) * this.#steps)
      }
      case Wire.bool:
      case Wire.enum:
        return Number.NaN
      default:
        // Adding 0 turns -0 into 0; the range of a kind without numbers is empty.
        return value >= this.#min && value <= this.#max && Number.isInteger(value)
          ? value + 0
          : Number.NaN
    }
  }

  fromNumber(stored: number): unknown {
    switch (this.wire) {
      case Wire.bool:
        return stored === 1
      case Wire.enum:
        return this.#choices[stored]
      case Wire.quantised8:
      case Wire.quantised16:
      case Wire.quantised32:
        return stepValue({ min: this.#min, max: this.#max, steps: this.#steps }, stored)
      default:
        return stored
    }
  }

  readAs({ wire, spec, item, key, fields }: AnyField): boolean {
    if (spec.kind === "enum") {
      this.#choices = this.#choices.map((choice) => spec.choices.find((known) => known === choice))
    }
    this.#default = undefined
    return (
      typeOf(wire) === typeOf(this.wire) &&
      (item === null || this.item?.readAs(item) === true) &&
      (key === null || this.key?.readAs(key) === true) &&
      fields.every((each) =>
        this.fields.some(({ name, field }) => name === each.name && field.readAs(each.field))
      )
    )
  }

  toStored(value: unknown): unknown {
    const { item, key } = this
    if (this.wire === Wire.struct) return this.#struct(Object(value))
    if (item === null) return copyBytes(value)
    if (this.wire === Wire.optional) {
      return value === undefined || value === null ? undefined : item.#whole(value)
    }
    const entries: ReadonlyArray<unknown> = Array.isArray(value) ? value : [...Object(value)]
    if (key === null) return Object.freeze(shownOf(entries.map((entry) => item.#whole(entry))))
    const whole = new Map<unknown, unknown>()
    for (const entry of entries) {
      const [name, held] = Object(entry)
      whole.set(key.#whole(name), item.#whole(held))
    }
    return new FrozenMap(whole)
  }

  fromStored(stored: unknown): unknown {
    return this.#bytes ? copyBytes(stored) : known(stored)
  }

  normal(value: unknown): unknown {
    return known(this.#whole(value))
  }

  /** A value that fits, as lists and structs hold it. */
  #whole(value: unknown): unknown {
    if (this.wire >= Wire.string) return this.toStored(value)
    const number = this.toNumber(value)
    return this.fromNumber(number) ?? unknownAt(number)
  }

  #struct(value: object): object {
    const struct: Record<string, unknown> = {}
    for (const { name, field } of this.fields) {
      const given: unknown = Reflect.get(value, name)
      struct[name] = field.#whole(given === undefined ? field.spec.default : given)
    }
    return Object.freeze(shownOf(struct))
  }
}

const rangeOf = (spec: FieldSpec): { readonly min: number; readonly max: number } => {
  switch (spec.kind) {
    case "u8":
    case "i8":
    case "u16":
    case "i16":
    case "u32":
    case "i32":
      return IntegerRanges[spec.kind]
    case "ref":
      return IntegerRanges.u32
    case "quantised":
      return spec
    default:
      return { min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY }
  }
}

/**
 * Makes a field of what it holds. Bounds, and a problem of its options, are judged when the schema is
 * built, which names it.
 */
export const makeField = <T, Seen = T>(spec: GivenSpec, problem?: string | null): Field<T, Seen> =>
  // The caller states the public type of the kind; the laws in Field.test.ts hold it to that.
  new SpecField(spec, problem ?? null) as Field<T, Seen>

/** What is wrong with something that {@link isField} refuses. */
export const NotField = "not a field made by s"

/** Tells a field from anything else that plain JavaScript may put in its place. */
export const isField = (value: unknown): value is AnyField => value instanceof SpecField
