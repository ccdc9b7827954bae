import { explain } from "./FieldCheck.ts"
import { IntegerRanges, type FieldSpec, type ItemSpec } from "./FieldSpec.ts"
import { stepValue, stepsIn } from "./Quantise.ts"
import { noteUnknown } from "./UnknownChoice.ts"
import { typeOf, Wire, wireOf } from "./Wire.ts"

/**
 * One declared field. A value exists in two forms: the public one (`boolean`, `"red"`, `0.3`) and
 * the stored one: a number for every kind that is not text, bytes or a list (0 or 1, the place of
 * the choice, the count of steps). A client sees `Seen`: an older one reads a choice that it does not
 * know as `undefined`.
 */
export interface Field<out T, out Seen = T> {
  readonly spec: FieldSpec
  /** The fault of the options that it was made with; judged, as bounds are, with the schema. */
  readonly problem: string | null
  /** The encoding, a value of `Wire`. */
  readonly wire: number
  /** The highest stored number of an enum, a quantised field or a boolean; 0 for other kinds. */
  readonly placeMax: number
  /** The field of a list's items, `null` for every other kind. */
  readonly item: Field<unknown> | null
  /** Says what is wrong with a value, `null` when it fits. The text does not name the field. */
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
  /** The stored form of text, bytes or a list: immutable or a copy; `undefined` = does not fit. */
  toStored(value: unknown): unknown
  /** The public form of what {@link toStored} gave; bytes are copied. */
  fromStored(stored: unknown): T
  /** The public default. */
  readonly default: T
  /** Never there at run time: carries what a client sees for inference. */
  readonly "~seen"?: readonly [Seen]
}

/** A field of any value. */
export type AnyField = Field<unknown>

/** A field that a list may hold. */
export interface ItemField<out T, out Seen = T> extends Field<T, Seen> {
  readonly spec: ItemSpec
}

const copyBytes = (value: unknown): unknown =>
  value instanceof Uint8Array ? new Uint8Array(value) : value

class SpecField {
  readonly spec: FieldSpec
  readonly problem: string | null
  readonly wire: number
  readonly placeMax: number
  readonly item: SpecField | null
  readonly #min: number
  readonly #max: number
  readonly #steps: number
  /** `undefined` = a choice that is not known here. */
  #choices: ReadonlyArray<string | undefined>
  readonly #places: ReadonlyMap<unknown, number>

  constructor(spec: FieldSpec, problem: string | null) {
    this.spec = spec
    this.problem = problem
    this.wire = wireOf(spec)
    this.item = spec.kind === "list" ? new SpecField(spec.of, null) : null
    const range = rangeOf(spec)
    this.#min = range.min
    this.#max = range.max
    this.#steps = spec.kind === "quantised" ? stepsIn(spec) : 0
    this.#choices = spec.kind === "enum" ? spec.choices : []
    this.placeMax = spec.kind === "bool" ? 1 : Math.max(this.#steps, this.#choices.length - 1, 0)
    this.#places = new Map(this.#choices.map((choice, place) => [choice, place]))
  }

  get default(): unknown {
    return this.wire < Wire.string
      ? this.fromNumber(this.toNumber(this.spec.default))
      : this.fromStored(this.toStored(this.spec.default))
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

  readAs({ wire, spec, item }: AnyField): boolean {
    if (spec.kind === "enum") {
      this.#choices = this.#choices.map((choice) => spec.choices.find((known) => known === choice))
    }
    return typeOf(wire) === typeOf(this.wire) && (item === null || this.item?.readAs(item) === true)
  }

  toStored(value: unknown): unknown {
    if (explain(this.spec, value) !== null) return undefined
    const item = this.item
    if (item === null || !Array.isArray(value)) return copyBytes(value)
    const items: Array<unknown> = []
    for (let place = 0; place < value.length; place += 1) item.#keep(value[place], items, place)
    return Object.freeze(items)
  }

  fromStored(stored: unknown): unknown {
    if (this.wire === Wire.bytes) return copyBytes(stored)
    // A list is frozen, but the bytes in it are not: they are copied out like a bytes field.
    if (this.item?.wire !== Wire.bytes || !Array.isArray(stored)) return stored
    return Object.freeze(stored.map(copyBytes))
  }

  /** Puts one item into a list: the value that reading it gives. */
  #keep(value: unknown, items: Array<unknown>, place: number): void {
    const stored = this.wire < Wire.string ? this.toNumber(value) : Number.NaN
    items[place] = Number.isNaN(stored) ? copyBytes(value) : this.fromNumber(stored)
    if (items[place] === undefined) noteUnknown(items, place, stored)
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
export const makeField = <T, Seen = T>(
  spec: FieldSpec,
  problem: string | null = null
): Field<T, Seen> =>
  // The caller states the public type of the kind; the laws in Field.test.ts hold it to that.
  new SpecField(spec, problem) as unknown as Field<T, Seen>

/** Makes a field that a list may hold. */
export const makeItemField = <T, Seen = T>(
  spec: ItemSpec,
  problem: string | null = null
): ItemField<T, Seen> =>
  // As in makeField.
  new SpecField(spec, problem) as unknown as ItemField<T, Seen>

/** Tells a field from anything else that plain JavaScript may put in its place. */
export const isField = (value: unknown): value is AnyField => value instanceof SpecField
