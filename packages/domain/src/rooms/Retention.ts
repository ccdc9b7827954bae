import { durationMs } from "@atrium/wire/time/Duration"

/** What says how long a room's state is kept: its own override, and what its type declares. */
export interface RetentionSources {
  /** A duration, `forever`, or `null`: the type rules. */
  readonly override: string | null
  /** A duration, or `null`: for ever. */
  readonly declared: string | null
}

/** The window in force. */
export interface Retention {
  readonly retention: string | null
  readonly retentionOverride: string | null
  /** From the last activity to the deletion, milliseconds; `null` = kept for ever. */
  readonly windowMs: number | null
}

/** An override wins in both directions, longer or shorter. Spec: Rooms rule 4; T-08. */
export const retentionInForce = ({ override, declared }: RetentionSources): Retention => {
  const retention = override === "forever" ? null : (override ?? declared)
  return {
    retention,
    retentionOverride: override,
    windowMs: retention === null ? null : durationMs(retention)
  }
}

/**
 * @param activeAtMs last activity, Unix milliseconds
 * @returns when the sweep may delete the room, Unix milliseconds; `null` = never
 */
export const deletesAtMs = ({ windowMs }: Retention, activeAtMs: number): number | null =>
  windowMs === null ? null : activeAtMs + windowMs
