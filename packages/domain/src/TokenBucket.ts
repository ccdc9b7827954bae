import type { RateLimit } from "./Limits.ts"

/** State of one bucket: whole tokens, and the moment up to which refills have been counted. */
export interface TokenBucket {
  tokens: number
  countedAtMs: number
}

/** A full bucket. */
export const makeBucket = (limit: RateLimit, nowMs: number): TokenBucket => ({
  tokens: limit.burst,
  countedAtMs: nowMs
})

/**
 * Takes one whole token if there is one. Mutates the bucket: it lies on the message path.
 *
 * @returns true when taken; false leaves the bucket as it was. Source: D-26, D-35.
 */
export const takeToken = (bucket: TokenBucket, limit: RateLimit, nowMs: number): boolean => {
  const tokenMs = limit.everyMs / limit.tokens
  const elapsedMs = nowMs - bucket.countedAtMs
  if (elapsedMs >= tokenMs) {
    const refill = Math.floor(elapsedMs / tokenMs)
    bucket.tokens = Math.min(limit.burst, bucket.tokens + refill)
    bucket.countedAtMs =
      bucket.tokens === limit.burst ? nowMs : bucket.countedAtMs + refill * tokenMs
  }
  if (bucket.tokens < 1) return false
  bucket.tokens -= 1
  return true
}
