import type { FieldSpec } from "./FieldSpec.ts"
import { stepsIn } from "./Quantise.ts"

/** Encodings of a field. Kinds from `string` on are stored as objects, those before as numbers. */
export const Wire = {
  bool: 0,
  u8: 1,
  i8: 2,
  u16: 3,
  i16: 4,
  u32: 5,
  i32: 6,
  f32: 7,
  f64: 8,
  enum: 9,
  ref: 10,
  quantised8: 11,
  quantised16: 12,
  quantised32: 13,
  string: 14,
  bytes: 15,
  list: 16,
  struct: 17,
  map: 18,
  optional: 19
} as const

/** The type of a field's values, as a number: kinds of numbers share one. */
export const typeOf = (wire: number): number =>
  wire > Wire.bool && wire < Wire.string && wire !== Wire.enum ? Wire.u8 : wire

/** The encoding of a field: its kind, or for a quantised one the smallest that holds its steps. */
export const wireOf = (spec: FieldSpec): number => {
  if (spec.kind !== "quantised") return Wire[spec.kind]
  const steps = stepsIn(spec)
  if (steps <= 0xff) return Wire.quantised8
  return steps <= 0xffff ? Wire.quantised16 : Wire.quantised32
}
