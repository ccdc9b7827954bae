import { IdentityLimits } from "./IdentityLimits.ts"

/** When the keys of an address were read, and when that was tried last; Unix ms, `null` = never. */
export interface JwksReadings {
  readonly readAtMs: number | null
  readonly triedAtMs: number | null
}

/**
 * What to do for an assertion: take the keys that are known, read them first, or refuse. A key that
 * is not among the known ones may be new, but strangers can name keys as they like: the pause bounds
 * how often that reads. Source: C-542.
 */
export const jwksStep = (
  { readAtMs, triedAtMs }: JwksReadings,
  { nowMs, hasKey }: { readonly nowMs: number; readonly hasKey: boolean }
): "take" | "read" | "refuse" => {
  const ageMs = readAtMs === null ? Infinity : nowMs - readAtMs
  if (hasKey && ageMs < IdentityLimits.jwksKept.ms) return "take"
  const rests = triedAtMs !== null && nowMs - triedAtMs < IdentityLimits.jwksPause.ms
  if (!rests) return "read"
  return ageMs < IdentityLimits.jwksStale.ms ? "take" : "refuse"
}
