import { median } from "@atrium/api/testing/load/Statistics"

import type { FanOutRound } from "./FanOutLoad.ts"
import { atLeast, atMost, besideWs, type Figure, type Goal, type Reference } from "./Figure.ts"
import type { LimitCost } from "./LimitCost.ts"

/**
 * The programs that pass the messages on: `ws`, and the service's rooms with and without code, under two settings; those
 * with code in a process each, and sharing one.
 */
export type Side = "raw" | "rooms" | "shared" | "relay" | "roomsUnwaited" | "relayUnwaited"

/** How much is sent: half of what the workload is named for, all of it, or all that goes through. */
export type Pace = "half" | "full" | "saturated"

/** The rounds of one pace. */
export type Rounds = Readonly<Record<Side, Array<FanOutRound>>>

export const noRounds = (): Rounds => ({
  raw: [],
  rooms: [],
  shared: [],
  relay: [],
  roomsUnwaited: [],
  relayUnwaited: []
})

type Pick = (round: FanOutRound) => number

const perCpuSecond: Pick = ({ deliveriesPerCpuSecond }) => deliveriesPerCpuSecond
const perSecond: Pick = ({ deliveriesPerSecond }) => deliveriesPerSecond
const p50: Pick = ({ p50Ms }) => p50Ms

/** Figures of one pace, each beside the reference of the same round. */
class Rows {
  readonly #rounds: Rounds
  readonly #reference: (rounds: ReadonlyArray<number>) => Reference

  constructor(rounds: Rounds, reference = besideWs) {
    this.#rounds = rounds
    this.#reference = reference
  }

  row(name: string, unit: string, of: { side: Side; pick: Pick; goal?: Goal }): Figure {
    return {
      name,
      unit,
      rounds: this.#rounds[of.side].map(of.pick),
      reference: this.#reference(this.#rounds.raw.map(of.pick)),
      goal: of.goal ?? null
    }
  }
}

/** A reference that has more to do than it can: what it takes for a message then says little. */
const besideLate =
  (rounds: Rounds) =>
  (each: ReadonlyArray<number>): Reference => ({
    name: "ws",
    rounds: each,
    weakness: isLate(rounds.raw) ? "ws fell behind the load" : null
  })

/** Share of the load that has arrived within the time in which it was sent, from which on nobody is late. */
const inTime = 0.95

export const isLate = (rounds: ReadonlyArray<FanOutRound>): boolean =>
  median(rounds.map((round) => round.deliveriesPerSecond / round.duePerSecond)) < inTime

const atMostMs = (ms: number): Goal => atMost(ms, "value")
const atLeastTimes = (times: number): Goal => atLeast(times, "ratio")

export const fullFigures = (rounds: Rounds): ReadonlyArray<Figure> => {
  const rows = new Rows(rounds, besideLate(rounds))
  const side = "rooms"
  return [
    rows.row("deliveries per CPU second", "/s", {
      side,
      pick: perCpuSecond,
      goal: atLeastTimes(0.85)
    }),
    rows.row("p50", "ms", { side, pick: p50 }),
    rows.row("p99", "ms", { side, pick: ({ p99Ms }) => p99Ms }),
    rows.row("deliveries per second", "/s", { side, pick: perSecond }),
    rows.row("rooms that share a process: deliveries per CPU second", "/s", {
      side: "shared",
      pick: perCpuSecond,
      goal: atLeastTimes(1.4)
    }),
    rows.row("rooms that share a process: p50", "ms", { side: "shared", pick: p50 }),
    rows.row("relay rooms: deliveries per CPU second", "/s", {
      side: "relay",
      pick: perCpuSecond,
      goal: atLeastTimes(1.1)
    }),
    rows.row("relay rooms: p50", "ms", { side: "relay", pick: p50 }),
    rows.row("send windows off: deliveries per CPU second", "/s", {
      side: "roomsUnwaited",
      pick: perCpuSecond
    }),
    rows.row("send windows off: p50", "ms", { side: "roomsUnwaited", pick: p50 }),
    rows.row("send windows off, relay rooms: deliveries per CPU second", "/s", {
      side: "relayUnwaited",
      pick: perCpuSecond
    }),
    rows.row("send windows off, relay rooms: p50", "ms", { side: "relayUnwaited", pick: p50 })
  ]
}

export const halfFigures = (rounds: Rounds): ReadonlyArray<Figure> => {
  const rows = new Rows(rounds, besideLate(rounds))
  return [
    rows.row("half load: deliveries per CPU second", "/s", {
      side: "rooms",
      pick: perCpuSecond,
      goal: atLeastTimes(0.75)
    }),
    rows.row("half load: p50", "ms", { side: "rooms", pick: p50, goal: atMostMs(4) }),
    rows.row("half load, rooms that share a process: deliveries per CPU second", "/s", {
      side: "shared",
      pick: perCpuSecond,
      goal: atLeastTimes(1)
    }),
    rows.row("half load, rooms that share a process: p50", "ms", {
      side: "shared",
      pick: p50,
      goal: atMostMs(4)
    }),
    rows.row("half load, relay rooms: deliveries per CPU second", "/s", {
      side: "relay",
      pick: perCpuSecond,
      goal: atLeastTimes(1.1)
    }),
    rows.row("half load, relay rooms: p50", "ms", { side: "relay", pick: p50 })
  ]
}

export const saturatedFigures = (rounds: Rounds): ReadonlyArray<Figure> => {
  const rows = new Rows(rounds)
  return [
    rows.row("saturated: deliveries per CPU second", "/s", {
      side: "rooms",
      pick: perCpuSecond,
      goal: atLeastTimes(4)
    }),
    rows.row("saturated: deliveries per second", "/s", { side: "rooms", pick: perSecond }),
    rows.row("saturated: p50", "ms", { side: "rooms", pick: p50 }),
    rows.row("rooms that share a process, saturated: deliveries per CPU second", "/s", {
      side: "shared",
      pick: perCpuSecond,
      goal: atLeastTimes(4.5)
    }),
    rows.row("relay rooms, saturated: deliveries per CPU second", "/s", {
      side: "relay",
      pick: perCpuSecond,
      goal: atLeastTimes(7)
    })
  ]
}

/** What the limits of connections and the meters take of the service's CPU. */
export const apartFigures = (
  { rooms }: Rounds,
  { cost, receivers }: { readonly cost: LimitCost; readonly receivers: number }
): ReadonlyArray<Figure> => {
  const share = (name: string, nsPerDelivery: number, most: number): Figure => ({
    name: `${name}, of its CPU`,
    unit: "%",
    rounds: rooms.map(
      ({ deliveriesPerCpuSecond }) => (100 * nsPerDelivery * deliveriesPerCpuSecond) / 1e9
    ),
    reference: null,
    goal: atMost(most, "value")
  })
  return [
    share("limits", cost.perDeliveryNs + cost.perFrameNs / receivers, 5),
    share("meters", cost.perDeliveryMeteredNs, 1)
  ]
}

/** Cores that the load took beside the rooms with code, and beside the reference. */
export const loadCoresOf = ({ rooms, raw }: Rounds): string =>
  [rooms, raw].map((rounds) => median(rounds.map((round) => round.loadCores)).toFixed(2)).join(", ")

export const faultsOf = (rounds: Rounds): ReadonlyArray<string> =>
  Object.entries(rounds).flatMap(([name, each]: [string, ReadonlyArray<FanOutRound>]) =>
    each
      .filter((round) => round.heard !== round.expected)
      .map((round) => `${name}: ${round.heard} of ${round.expected} deliveries arrived`)
  )
