import { durationMs } from "@atrium/wire/time/Duration"

import { ServiceLimits } from "../shared/ServiceLimits.ts"
import { RoomLimits } from "./RoomLimits.ts"

/** The sources of a room's retention: its own override, and the declaration of its type. */
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

/** The facts of a room's row that the sweep reads. */
export interface SeenRoom {
  /** The row says hibernated or closed. */
  readonly asleep: boolean
  /** A removal of the room has begun. */
  readonly removing: boolean
  /** The room has let a client in. */
  readonly entered: boolean
  readonly lastSeenMs: number
  readonly retention: RetentionSources
}

/** The moments with which a sweep compares `lastSeenMs`, Unix milliseconds. */
export interface SweepMoments {
  /** The server of a room that was seen at this moment or earlier no longer reports the room. */
  readonly silentSinceMs: number
  /** A room may be due when `lastSeenMs` plus its window is at this moment or earlier. */
  readonly dueByMs: number
}

/**
 * The row is written after the last snapshot, so `lastSeenMs` is at most a drain and one call to the
 * actor later than the last activity. The sweep looks that much ahead.
 */
export const sweepMoments = (nowMs: number): SweepMoments => ({
  silentSinceMs: nowMs - RoomLimits.reportFresh.ms,
  dueByMs: nowMs + ServiceLimits.drain.ms + ServiceLimits.actorCall.ms
})

/** Whether the sweep asks this room's actor, which decides by what is stored. Spec: Retention. */
export const isSweepCandidate = (room: SeenRoom, nowMs: number): boolean => {
  const { silentSinceMs, dueByMs } = sweepMoments(nowMs)
  if (!room.asleep && room.lastSeenMs > silentSinceMs) return false
  const dueAtMs = deletesAtMs(retentionInForce(room.retention), room.lastSeenMs)
  return room.removing || !room.entered || (dueAtMs !== null && dueAtMs <= dueByMs)
}
