import type { RateLimit } from "./Limit.ts"

/** State of one bucket: whole tokens, and the moment up to which refills have been counted. */
export interface TokenBucket {
  tokens: number
  countedAtMs: number
  /** Refill short of a whole token, in tokens × everyMs: counted in integers, it never drifts. */
  partial: number
}

/** A full bucket. */
export const makeBucket = (limit: RateLimit, nowMs: number): TokenBucket => ({
  tokens: limit.burst,
  countedAtMs: nowMs,
  partial: 0
})

/**
 * Takes one whole token if there is one. Mutates the bucket: it lies on the message path.
 *
 * @returns true when taken; false takes nothing. Source: D-26, D-35.
 */
export const takeToken = (bucket: TokenBucket, limit: RateLimit, nowMs: number): boolean => {
  refillBucket(bucket, limit, nowMs)
  return spendTokens(bucket, 1)
}

/** How long it takes until an empty bucket, counted just now, has a token again. */
export const untilTokenMs = (bucket: TokenBucket, limit: RateLimit): number =>
  bucket.tokens > 0 ? 0 : Math.ceil((limit.everyMs - bucket.partial) / limit.tokens)

/** Takes whole tokens out of what the last refill left. @returns false takes nothing. */
export const spendTokens = (bucket: TokenBucket, count: number): boolean => {
  if (bucket.tokens < count) return false
  bucket.tokens -= count
  return true
}

/** Moves a bucket to another burst. Spent tokens stay spent, up to the new burst. */
export const rebaseBucket = (bucket: TokenBucket, from: number, to: number): void => {
  bucket.tokens = Math.max(0, bucket.tokens + to - from)
}

/**
 * Counts what has come back by now. A full bucket collects nothing, a clock that was set back gives
 * nothing, and a limit that has become lower takes away what is over it.
 */
export const refillBucket = (bucket: TokenBucket, limit: RateLimit, nowMs: number): void => {
  const elapsedMs = nowMs - bucket.countedAtMs
  bucket.countedAtMs = nowMs
  if (bucket.tokens > limit.burst) bucket.tokens = limit.burst
  if (elapsedMs <= 0 || bucket.tokens === limit.burst) return
  const grown = bucket.partial + elapsedMs * limit.tokens
  bucket.tokens = Math.min(limit.burst, bucket.tokens + Math.floor(grown / limit.everyMs))
  bucket.partial = bucket.tokens === limit.burst ? 0 : grown % limit.everyMs
}
