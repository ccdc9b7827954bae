import { MeterLimits } from "./MeterLimits.ts"

const { sustainedFor, sustainedRate } = MeterLimits

/** How a server's data out stands against the sustained rate. */
export interface SustainedState {
  /** How long it has been over the rate without a pause. */
  readonly overForMs: number
  /** Messages over the rate are dropped. */
  readonly limited: boolean
}

/** A server that has sent nothing yet. */
export const belowRate: SustainedState = { overForMs: 0, limited: false }

/** Bytes a second that a server may send for ever. Source: D-39. */
export const defaultSustainedBytes = (sustainedRate.tokens * 1000) / sustainedRate.everyMs

/** The data out of a server since the look before. */
export interface SentSince {
  /** Bytes that its rooms sent or wanted to send. */
  readonly bytes: number
  readonly spanMs: number
}

/**
 * Follows the data out of a server from look to look. A server that has been over the rate for ten seconds
 * is limited until it wants no more than the rate. Spec: Usage caps; C-506.
 *
 * @param bytesPerSecond the sustained rate
 */
export const sustain = (
  { overForMs }: SustainedState,
  { bytes, spanMs }: SentSince,
  bytesPerSecond: number
): SustainedState => {
  if (bytes * 1000 <= bytesPerSecond * spanMs) return belowRate
  const over = overForMs + spanMs
  return { overForMs: over, limited: over >= sustainedFor.ms }
}
