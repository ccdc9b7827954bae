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

/** A kind that a list may hold: everything but a list. */
export type ItemSpec =
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
  readonly of: ItemSpec
  readonly maxLength: number
  readonly default: ReadonlyArray<unknown>
}

/** What a field holds, its bounds and its default. */
export type FieldSpec = ItemSpec | ListSpec
