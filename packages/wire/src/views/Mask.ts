/** Some fields of a shape: bit i & 7 of byte i >> 3 is field i. */
export type Mask = Uint8Array

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
