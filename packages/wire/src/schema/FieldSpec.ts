/** Whole number kinds and the values that they hold. */
export const IntegerRanges = {
  u8: { min: 0, max: 0xff },
  i8: { min: -0x80, max: 0x7f },
  u16: { min: 0, max: 0xffff },
  i16: { min: -0x8000, max: 0x7fff },
  u32: { min: 0, max: 0xffff_ffff },
  i32: { min: -0x8000_0000, max: 0x7fff_ffff }
} as const

export type IntegerKind = keyof typeof IntegerRanges

/** A kind that holds no other. */
export type PlainSpec =
  | { readonly kind: "bool"; readonly default: boolean }
  | { readonly kind: IntegerKind | "f32" | "f64"; readonly default: number }
  | {
      readonly kind: "quantised"
      readonly min: number
      readonly max: number
      readonly step: number
      readonly default: number
    }
  | { readonly kind: "string"; readonly maxBytes: number; readonly default: string }
  | { readonly kind: "bytes"; readonly maxBytes: number; readonly default: Uint8Array }
  | { readonly kind: "enum"; readonly choices: ReadonlyArray<string>; readonly default: string }
  | { readonly kind: "ref"; readonly collection: string; readonly default: 0 }

export interface ListSpec {
  readonly kind: "list"
  readonly of: FieldSpec
  readonly maxLength: number
  readonly default: ReadonlyArray<unknown>
}

/** One field of a struct. */
export interface NamedSpec {
  readonly name: string
  readonly spec: FieldSpec
}

export interface StructSpec {
  readonly kind: "struct"
  readonly fields: ReadonlyArray<NamedSpec>
  /** Every field has its own. */
  readonly default: Readonly<Record<string, never>>
}

export interface MapSpec {
  readonly kind: "map"
  readonly key: FieldSpec
  readonly value: FieldSpec
  readonly maxEntries: number
  readonly default: ReadonlyArray<never>
}

export interface OptionalSpec {
  readonly kind: "optional"
  readonly of: FieldSpec
  readonly default: undefined
}

/** What a field holds, its bounds and its default. */
export type FieldSpec = PlainSpec | ListSpec | StructSpec | MapSpec | OptionalSpec

type Undefaulted<S> = S extends FieldSpec
  ? Omit<S, "default"> & { readonly default?: S["default"] | undefined }
  : never

/** A spec whose default may be left out. */
export type GivenSpec = Undefaulted<FieldSpec>

/** Fills in the default of the kind: what an absent one means. */
export const withDefault = (spec: GivenSpec): FieldSpec =>
  // The default is that of the kind, which the compiler does not follow through a spread.
  ({ ...spec, default: spec.default ?? defaultOf(spec) }) as FieldSpec

const defaultOf = (spec: GivenSpec): unknown => {
  switch (spec.kind) {
    case "bool":
      return false
    case "string":
      return ""
    case "bytes":
      return new Uint8Array(0)
    case "enum":
      // A descriptor may hold anything until its bounds are judged.
      return Object(spec.choices)[0]
    case "quantised":
      return spec.min > 0 || spec.max < 0 ? spec.min : 0
    case "list":
    case "map":
      return []
    case "struct":
      return {}
    case "optional":
      return undefined
    default:
      return 0
  }
}

/** A spec within another one, and what it adds to a path. */
export type SpecPart = readonly [segment: string, spec: FieldSpec]

/** The specs that a spec holds. */
export const partsOf = (spec: FieldSpec): ReadonlyArray<SpecPart> => {
  switch (spec.kind) {
    case "list":
      return [["[]", spec.of]]
    case "optional":
      return [["", spec.of]]
    case "map":
      return [
        [" key", spec.key],
        ["[]", spec.value]
      ]
    case "struct":
      return spec.fields.map(({ name, spec: inner }) => [`.${name}`, inner])
    default:
      return []
  }
}

/** A kind that came with structs: an older client does not know it. */
export const isNested = (spec: FieldSpec): boolean =>
  spec.kind === "list"
    ? spec.of.kind === "list" || isNested(spec.of)
    : spec.kind === "struct" || spec.kind === "map" || spec.kind === "optional"
