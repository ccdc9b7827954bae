import { randomFillSync } from "node:crypto"

const pool = Buffer.allocUnsafeSlow(4096)
let used = pool.length

/**
 * Unguessable bytes as text. They are drawn many at a time: a draw by itself takes twenty times as long, and each join
 * wants three.
 *
 * @param bytes at most those of the pool
 */
export const randomText = (bytes: number, encoding: "hex" | "base64url"): string => {
  if (used + bytes > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const text = pool.toString(encoding, used, used + bytes)
  // What was handed out stays nowhere.
  pool.fill(0, used, used + bytes)
  used += bytes
  return text
}
