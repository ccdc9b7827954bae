/** Bytes of a file, both ends included. */
export interface ByteRange {
  readonly from: number
  readonly to: number
}

/**
 * The part of a file that a `range` header asks for. Source: RFC 9110, section 14.
 *
 * @returns `null` = the whole file: there is no header, or one that may be ignored, such as several
 *   ranges; `"outside"` = no byte of the file is in the range
 */
export const byteRangeOf = (
  header: string | undefined,
  bytes: number
): ByteRange | "outside" | null => {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? "") ?? []
  if (first === undefined || last === undefined || (first === "" && last === "")) return null
  if (first === "") {
    const from = Math.max(0, bytes - Number(last))
    return from < bytes ? { from, to: bytes - 1 } : "outside"
  }
  const from = Number(first)
  const to = last === "" ? bytes - 1 : Number(last)
  if (last !== "" && to < from) return null
  return from < bytes ? { from, to: Math.min(to, bytes - 1) } : "outside"
}
