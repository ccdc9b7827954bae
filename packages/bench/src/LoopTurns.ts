import { atMost, type Figure } from "./Figure.ts"

/** How many turns of the service's event loop were at most so long, by the bound in ms. */
export type TurnCounts = ReadonlyMap<number, number>

/** Spans of the histogram in `/metrics` are seconds. */
const bucket = /^atrium_event_loop_turn_seconds_bucket\{le="([^"]+)"\} (\d+)$/gm

export const readTurns = (metrics: string): TurnCounts => {
  const counts = [...metrics.matchAll(bucket)].map(
    ([, bound, count]) =>
      [bound === "+Inf" ? Number.POSITIVE_INFINITY : Number(bound) * 1000, Number(count)] as const
  )
  if (counts.length === 0) throw new Error("the service does not count the turns of its event loop")
  return new Map(counts)
}

/** No turn is to be longer. Source: performance.md, "What to reach". */
const longMs = 10

/** Two looks at one event loop. */
export interface TurnLooks {
  readonly before: TurnCounts
  readonly after: TurnCounts
}

/** What the event loops of a workload's services did between two looks at each. */
export const turnFigures = (loops: ReadonlyArray<TurnLooks>): ReadonlyArray<Figure> => {
  const grown = [...(loops[0]?.after.keys() ?? [])].map((ms) => ({
    ms,
    count: loops.reduce(
      (sum, { before, after }) => sum + (after.get(ms) ?? 0) - (before.get(ms) ?? 0),
      0
    )
  }))
  const all = Math.max(...grown.map(({ count }) => count))
  const longest = Math.min(...grown.filter(({ count }) => count === all).map(({ ms }) => ms))
  const short = grown.find(({ ms }) => ms === longMs)?.count ?? Number.NaN
  return [
    {
      name: "event loop: longest turn, at most",
      unit: "ms",
      rounds: [longest],
      reference: null,
      goal: atMost(longMs, "value")
    },
    {
      name: `event loop: turns over ${longMs} ms`,
      unit: "",
      rounds: [all - short],
      reference: null,
      goal: null
    }
  ]
}
