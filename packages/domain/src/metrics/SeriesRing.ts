import { MetricsLimits } from "./MetricsLimits.ts"

/** The numbers of one point of a project's series, in their order in memory and on the links of runners. */
export const SeriesNames = [
  "starting",
  "awake",
  "draining",
  "hibernated",
  "restarting",
  "closed",
  "players",
  "sockets",
  "joins",
  "errors",
  "exits",
  "ingressBytes",
  "egressBytes",
  "memoryBytes"
] as const
export type SeriesName = (typeof SeriesNames)[number]

/** Of these each runner knows the whole; of the others its own part. */
export const sharedNames: ReadonlySet<SeriesName> = new Set(SeriesNames.slice(0, 6))

/** What was measured in one span. `slot` = the number of the span since 1970; refusals by their limit. */
export interface SeriesPart {
  readonly slot: number
  readonly values: ReadonlyArray<number>
  readonly refused: Readonly<Record<string, number>>
}

const { max: slots } = MetricsLimits.seriesPoints
const { ms: slotMs } = MetricsLimits.seriesEvery

/** The span that a moment lies in. */
export const slotAt = (atMs: number): number => Math.floor(atMs / slotMs)

/** The end of a span, Unix milliseconds: the moment that its point is of. */
export const slotEndMs = (slot: number): number => (slot + 1) * slotMs

/** The oldest span that is shown at a moment: the one that lasts now has no point yet. */
export const oldestSlot = (nowMs: number): number => slotAt(nowMs) - slots

/** The last hour of one project: a point for each span in which something was measured. */
export class SeriesRing {
  readonly #slots = new Float64Array(slots).fill(-1)
  readonly #values = new Float64Array(slots * SeriesNames.length)
  /** Few points have any. */
  readonly #refused = new Map<number, Readonly<Record<string, number>>>()
  /** The last span that has a point; -1 = none has. */
  #newest = -1

  /** A point of a span that has one already takes its place. */
  put({ slot, values, refused }: SeriesPart): void {
    const at = slot % slots
    const before = this.#slots[at] ?? -1
    if (before > slot) return
    this.#refused.delete(before)
    this.#slots[at] = slot
    this.#values.set(values.slice(0, SeriesNames.length), at * SeriesNames.length)
    if (Object.keys(refused).length > 0) this.#refused.set(slot, refused)
    this.#newest = Math.max(this.#newest, slot)
  }

  /** The points of a span and later, in their order. */
  since(fromSlot: number): ReadonlyArray<SeriesPart> {
    const parts: Array<SeriesPart> = []
    for (let slot = Math.max(0, fromSlot, this.#newest - slots + 1); slot <= this.#newest; slot++) {
      const at = slot % slots
      if (this.#slots[at] !== slot) continue
      const from = at * SeriesNames.length
      const values = [...this.#values.subarray(from, from + SeriesNames.length)]
      parts.push({ slot, values, refused: this.#refused.get(slot) ?? {} })
    }
    return parts
  }
}

/**
 * The points of several runners together: numbers of which each knows its part are added up, and of those that each
 * knows whole the greatest is taken. A span without a point of any runner has none.
 */
export const mergedSeries = (
  runners: ReadonlyArray<ReadonlyArray<SeriesPart>>
): ReadonlyArray<SeriesPart> => {
  const merged = new Map<number, SeriesPart>()
  for (const part of runners.flat()) {
    const before = merged.get(part.slot)
    merged.set(part.slot, before === undefined ? part : together(before, part))
  }
  return [...merged.values()].toSorted((one, other) => one.slot - other.slot)
}

const together = (one: SeriesPart, other: SeriesPart): SeriesPart => {
  const refused = { ...one.refused }
  for (const [limit, count] of Object.entries(other.refused)) {
    refused[limit] = (refused[limit] ?? 0) + count
  }
  const values = SeriesNames.map((name, at) => {
    const [a, b] = [one.values[at] ?? 0, other.values[at] ?? 0]
    return sharedNames.has(name) ? Math.max(a, b) : a + b
  })
  return { slot: one.slot, values, refused }
}
