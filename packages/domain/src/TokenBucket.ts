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
 * Takes `amount` whole tokens if they are there. Mutates the bucket: it lies on the message path.
 *
 * @returns true when taken; false leaves the tokens as they were. Source: D-26, D-35.
 */
export const takeTokens = (
  bucket: TokenBucket,
  limit: RateLimit,
  request: { readonly nowMs: number; readonly amount: number }
): boolean => {
  const tokenMs = limit.everyMs / limit.tokens
  const elapsedMs = request.nowMs - bucket.countedAtMs
  if (elapsedMs >= tokenMs) {
    const refill = Math.floor(elapsedMs / tokenMs)
    bucket.tokens = Math.min(limit.burst, bucket.tokens + refill)
    bucket.countedAtMs =
      bucket.tokens === limit.burst ? request.nowMs : bucket.countedAtMs + refill * tokenMs
  }
  if (bucket.tokens < request.amount) return false
  bucket.tokens -= request.amount
  return true
}
