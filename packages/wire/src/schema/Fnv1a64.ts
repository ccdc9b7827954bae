const OffsetHigh = 0xcbf2_9ce4
const OffsetLow = 0x8422_2325
// The prime is 2^40 + 0x1b3: a product by 0x1b3, and a shift by 40 that reaches the high half only.
const PrimeLow = 0x1b3
const TwoTo32 = 0x1_0000_0000

/** FNV-1a, 64 bits, of some bytes: 16 hex characters. It tells copies apart; it keeps no secrets. */
export const fnv1a64 = (bytes: Uint8Array): string => {
  let high = OffsetHigh
  let low = OffsetLow
  for (let at = 0; at < bytes.length; at += 1) {
    low = (low ^ (bytes[at] ?? 0)) >>> 0
    const product = low * PrimeLow
    high = (high * PrimeLow + (low << 8) + Math.floor(product / TwoTo32)) >>> 0
    low = product >>> 0
  }
  return high.toString(16).padStart(8, "0") + low.toString(16).padStart(8, "0")
}
