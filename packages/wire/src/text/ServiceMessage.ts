import { TextLimits } from "./TextLimits.ts"

const ellipsis = "…"
const utf8Bytes = (codePoint: number): number =>
  codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4

/**
 * Cuts a message of the service to 96 bytes of UTF-8, on a character boundary, ending in one `…`.
 * A lone surrogate becomes U+FFFD, as it would on the wire. Source: spec Errors rule 1; T-46.
 */
export const serviceMessage = (text: string): string => {
  const whole = text.toWellFormed()
  let bytes = 0
  let kept = 0
  for (const character of whole) {
    const next = bytes + utf8Bytes(character.codePointAt(0) ?? 0)
    if (next > TextLimits.messageBytes.max)
      return whole.slice(0, kept).replace(/…+$/, "") + ellipsis
    bytes = next
    // The place to cut is the last one that still leaves room for the ellipsis.
    if (bytes <= TextLimits.messageBytes.max - utf8Bytes(0x2026)) kept += character.length
  }
  return whole
}
