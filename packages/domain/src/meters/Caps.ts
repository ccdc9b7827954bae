import { DateTime } from "effect"

import { isoOf } from "../shared/IsoText.ts"
import { MeterLimits } from "./MeterLimits.ts"

/** What is metered and billed. Spec: Usage caps; D-10. */
export const Meters = ["roomHours", "voiceMinutes", "storageBytes", "dataOutBytes"] as const
export type Meter = (typeof Meters)[number]

/** The same for every meter. */
export const eachMeter = <Value>(value: Value): Record<Meter, Value> => ({
  roomHours: value,
  voiceMinutes: value,
  storageBytes: value,
  dataOutBytes: value
})

/** Plans of a project: on `card` its owner pays for use beyond the allowance. Spec: Usage caps. */
export const Tiers = ["free", "card"] as const
export type Tier = (typeof Tiers)[number]

/** Where a meter stands. `warned` = over the allowance, and service continues. */
export const Standings = ["ok", "warned", "walled"] as const
export type Standing = (typeof Standings)[number]

/** One meter of one project in one period, in its own unit. */
export interface MeterUse {
  readonly tier: Tier
  readonly used: number
  readonly allowance: number
  /** The ceiling that the owner has set; `null` = none. */
  readonly ceiling: number | null
}

/**
 * A cap is reached when it is used up, not when it is passed. The owner's ceiling is a wall with or
 * without a card; the allowance is one without. Spec: Usage caps.
 */
export const standingOf = (use: MeterUse): Standing => {
  if (wallOf(use) !== null) return "walled"
  return use.used < use.allowance ? "ok" : "warned"
}

/**
 * The smallest bound of the project that is a wall now; `null` = new work is not refused.
 * Spec: Usage caps.
 */
export const wallOf = ({ tier, used, allowance, ceiling }: MeterUse): number | null => {
  const bounds = [ceiling, tier === "free" ? allowance : null].filter((bound) => bound !== null)
  const least = Math.min(...bounds)
  return used >= least ? least : null
}

/** What a project may use of each meter in a month. */
export type Allowances = Record<Meter, number>

/** Default allowances of a month. Source: D-39, C-500. */
export const allowances: Record<Tier, Allowances> = {
  free: {
    roomHours: MeterLimits.allowanceRoomHours.max,
    voiceMinutes: MeterLimits.allowanceVoiceMinutes.max,
    storageBytes: MeterLimits.allowanceStorageBytes.max,
    dataOutBytes: MeterLimits.allowanceDataOutBytes.max
  },
  card: {
    roomHours: MeterLimits.allowanceCardRoomHours.max,
    voiceMinutes: MeterLimits.allowanceCardVoiceMinutes.max,
    storageBytes: MeterLimits.allowanceCardStorageBytes.max,
    dataOutBytes: MeterLimits.allowanceCardDataOutBytes.max
  }
}

/** A cap that refuses new work. */
export interface CapWall {
  readonly meter: Meter
  /** The allowance or the owner's ceiling, whichever is smaller, in the meter's own unit. */
  readonly cap: number
  /** The end of the billing period, Unix milliseconds. */
  readonly endMs: number
}

/** The message of a refusal at a wall; at most 96 bytes. Source: C-501. */
export const wallText = ({ meter, cap, endMs }: CapWall): string =>
  `${meter}: the cap of ${cap} is reached; the period ends ${isoOf(endMs)}`

/** The meters whose wall keeps a room from starting, the one that is told first at the beginning. */
export const WakeMeters = ["dataOutBytes", "roomHours"] as const satisfies ReadonlyArray<Meter>

/**
 * The work that each wall refuses, and nothing else is refused: connected players play and write on,
 * an awake room takes joins, reads and deletes work. While the data-out wall holds no room is awake:
 * each join is a wake. Source: D-45, T-101; spec: Usage caps.
 */
export const refusedAtWall = {
  roomHours: ["new rooms", "rooms that would wake"],
  voiceMinutes: ["new calls"],
  storageBytes: [
    "KV writes",
    "saves by call",
    "recordings",
    "uploads of sites",
    "uploads of bundles"
  ],
  dataOutBytes: [
    "sockets: they close with 4290, and the rooms sleep",
    "new rooms",
    "rooms that would wake",
    "requests to the site"
  ]
} as const satisfies Record<Meter, ReadonlyArray<string>>

/** The calendar month in UTC that a moment is in; its end is the start of the next. Source: D-10. */
export const billingPeriod = (
  nowMs: number
): { readonly startMs: number; readonly endMs: number } => {
  const start = DateTime.startOf(DateTime.makeUnsafe(nowMs), "month")
  const end = DateTime.add(start, { months: 1 })
  return { startMs: DateTime.toEpochMillis(start), endMs: DateTime.toEpochMillis(end) }
}
