/** Crockford's base 32: no I, L, O and U, which are misread or make words. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

/** Random bytes in a user code: eight characters of five bits. */
export const userCodeBytes = 5

/** The code that a person compares and allows: `XXXX-XXXX`. @param bytes as many as {@link userCodeBytes} */
export const userCodeOf = (bytes: Uint8Array): string => {
  const bits = bytes.reduce((all, byte) => all * 256n + BigInt(byte), 0n)
  const characters = Array.from({ length: 8 }, (_, at) => {
    const digit = (bits >> BigInt(5 * (7 - at))) & 31n
    return alphabet.charAt(Number(digit))
  }).join("")
  return `${characters.slice(0, 4)}-${characters.slice(4)}`
}

/** Reads what a person typed, however: case, dashes and look-alikes do not matter. `null` = no code. */
export const readUserCode = (text: string): string | null => {
  const characters = text
    .replaceAll(/[\s-]/g, "")
    .toUpperCase()
    .replaceAll(/[IL]/g, "1")
    .replaceAll("O", "0")
  return /^[0-9A-HJKMNP-TV-Z]{8}$/.test(characters)
    ? `${characters.slice(0, 4)}-${characters.slice(4)}`
    : null
}
