import type { ByteReader } from "./ByteReader.ts"

/** Some fields of a shape or of a struct: bit i & 7 of byte i >> 3 is field i. */
export type Mask = Uint8Array

/** Bytes of a mask of so many fields. */
export const maskBytes = (fields: number): number => Math.ceil(fields / 8)

/** A mask of all of so many fields. */
export const wholeMask = (fields: number): Mask => {
  const mask = new Uint8Array(maskBytes(fields))
  for (let index = 0; index < fields; index += 1) addField(mask, index)
  return mask
}

export const hasField = (mask: Mask, index: number): boolean =>
  ((mask[index >> 3] ?? 0) & (1 << (index & 7))) !== 0

export const addField = (mask: Mask, index: number): void => {
  mask[index >> 3] = (mask[index >> 3] ?? 0) | (1 << (index & 7))
}

/** Adds the fields of another mask of the same shape. */
export const addFields = (mask: Mask, more: Mask): void => {
  for (let at = 0; at < mask.length; at += 1) mask[at] = (mask[at] ?? 0) | (more[at] ?? 0)
}

/** The fields of a mask, ascending. */
export const fieldsOf = (mask: Mask): ReadonlyArray<number> => {
  const fields: Array<number> = []
  for (let index = 0; index < 8 * mask.length; index += 1) {
    if (hasField(mask, index)) fields.push(index)
  }
  return fields
}

export const isEmpty = (mask: Mask): boolean => mask.every((byte) => byte === 0)

/** The mask as a key of a map. */
export const maskKey = (mask: Mask): string => String.fromCharCode(...mask)

/** Those whose bit is set in a mask, in order. */
export const masked = <T>(parts: ReadonlyArray<T>, mask: Mask): ReadonlyArray<T> =>
  parts.filter((_, index) => hasField(mask, index))

/** Reads a mask. Throws `CodecError` for a bit of no field. */
export const readMask = <T>(reader: ByteReader, parts: ReadonlyArray<T>): ReadonlyArray<T> => {
  const fields = parts.length
  const bytes = maskBytes(fields)
  const mask = reader.peek(bytes)
  const spare = 8 * bytes - fields
  if (spare > 0 && (mask[bytes - 1] ?? 0) >> (8 - spare) !== 0) {
    reader.fail(`a mask of more than ${fields} fields`)
  }
  return masked(parts, mask)
}
