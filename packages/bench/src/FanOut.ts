import { StampedFrame } from "@atrium/api/testing/load/LeanSocket"
import { relay } from "@atrium/api/testing/load/rooms/BenchSchemas"
import { signal } from "@atrium/api/testing/load/rooms/RelaySchema"
import { joinRaw, joinRoom, type Seat } from "@atrium/api/testing/load/RoomSeat"
import { median } from "@atrium/api/testing/load/Statistics"
import { eachOf, upTo } from "@atrium/api/testing/load/Tasks"
import { ClientFrame, ServerFrame } from "@atrium/wire/frames/Frame"
import { pack } from "msgpackr"

import type { Bench } from "./Bench.ts"
import { type Dialect, FanOutLoad, type FanOutRound } from "./FanOutLoad.ts"
import { atLeast, atMost, type Figure, type Measured } from "./Figure.ts"
import { type LimitCost, limitCost } from "./LimitCost.ts"
import { cpuByRoleOf, formatShares } from "./ProcessCost.ts"

export interface FanOutSize {
  readonly rooms: number
  readonly clientsPerRoom: number
  readonly perSecond: number
  readonly rounds: number
  readonly seconds: number
  readonly saturatedSeconds: number
  readonly messagesUnderWay: number
}

const messageBytes = 64
/** `[2, 0, bin]` with a record of one bytes field: five bytes of msgpack and the field's length. */
const payloadAt = 6
const joinsAtOnce = 4

const ofService = (): Dialect => {
  const record = Buffer.alloc(1 + messageBytes)
  record[0] = messageBytes
  return {
    frame: new StampedFrame(pack([ClientFrame.msg, 0, record]), payloadAt),
    stampAt: payloadAt,
    secondByte: ServerFrame.msg
  }
}

/** `[10, nil, bin]`, which arrives as `[27, clientId, bin]` with an id of 16 characters. */
const ofRelay = (): Dialect => ({
  frame: new StampedFrame(pack([ClientFrame.send, null, Buffer.alloc(messageBytes)]), 5),
  stampAt: 21,
  secondByte: ServerFrame.sent
})

const ofRaw = (): Dialect => ({
  frame: new StampedFrame(Buffer.alloc(messageBytes), 0),
  stampAt: 0,
  secondByte: null
})

/** W1: rooms full of clients, each of which sends to all others of its room. */
export const fanOut = async (bench: Bench, size: FanOutSize): Promise<Measured> => {
  const { servers } = bench
  const [service, raw] = [await servers.service(), await servers.raw()]
  const loads = {
    atrium: new FanOutLoad(service.pid, ofService(), size.rooms),
    relay: new FanOutLoad(service.pid, ofRelay(), size.rooms),
    raw: new FanOutLoad(raw.pid, ofRaw(), size.rooms)
  }
  const places = upTo(size.rooms * size.clientsPerRoom).map((index) => index % size.rooms)
  const from = () => servers.addresses.next()
  const enter = async (load: FanOutLoad, join: (room: number, index: number) => Promise<Seat>) => {
    const seats = await eachOf(places, joinsAtOnce, join)
    for (const [index, { socket }] of seats.entries()) load.add(places[index] ?? 0, socket)
  }
  bench.progress(`W1: ${places.length} clients join ${size.rooms} rooms of each server`)
  await enter(loads.raw, (room) =>
    joinRaw(raw, { path: `/relay/${room}`, from: from(), hear: loads.raw.hear(room) })
  )
  await enter(loads.atrium, (room, index) =>
    joinRoom(service, {
      ...{ schema: relay, room: `relay-${room}`, player: `player-${index}` },
      ...{ from: from(), hear: loads.atrium.hear(room) }
    })
  )
  await enter(loads.relay, (room, index) =>
    joinRoom(service.relay, {
      ...{ schema: signal, room: `signal-${room}`, player: `player-${index}` },
      ...{ from: from(), hear: loads.relay.hear(room) }
    })
  )
  const shares: Array<string> = []
  const steady: Rounds = { atrium: [], relay: [], raw: [] }
  const saturated: Rounds = { atrium: [], relay: [], raw: [] }
  for (let round = 1; round <= size.rounds; round++) {
    bench.progress(`W1: round ${round} of ${size.rounds}`)
    const before = cpuByRoleOf(service.pid)
    for (const name of ["raw", "relay", "atrium"] as const) {
      steady[name].push(await loads[name].steady(size.perSecond, size.seconds))
    }
    shares.push(formatShares(before, cpuByRoleOf(service.pid)))
    for (const name of ["raw", "relay", "atrium"] as const) {
      const { messagesUnderWay, saturatedSeconds } = size
      saturated[name].push(await loads[name].saturated(messagesUnderWay, saturatedSeconds))
    }
  }
  const strangers = loads.atrium.strangers + loads.relay.strangers
  const cost = limitCost()
  return {
    workload: "W1",
    figures: [
      ...steadyFigures(steady),
      ...saturatedFigures(saturated),
      ...relayFigures(steady, saturated),
      limitFigure(steady, { cost, receivers: size.clientsPerRoom - 1 })
    ],
    faults: [
      ...faultsOf(steady),
      ...faultsOf(saturated),
      ...(strangers > 0 ? [`${strangers} frames were no deliveries`] : [])
    ],
    notes: notesOf(size, { steady, saturated, cost, shares: shares.at(-1) ?? "" })
  }
}

const notesOf = (
  size: FanOutSize,
  {
    steady,
    saturated,
    cost,
    shares
  }: {
    readonly steady: Rounds
    readonly saturated: Rounds
    readonly cost: LimitCost
    readonly shares: string
  }
): ReadonlyArray<string> => [
  `${size.rooms} rooms × ${size.clientsPerRoom} clients × ${size.perSecond} messages/s of ` +
    `${messageBytes} bytes to the others; rounds: ${size.rounds}, figures are medians`,
  `CPU of the last of them: ${shares}`,
  `limits, measured apart: ${cost.perFrameNs.toFixed(0)} ns for each frame that comes, ` +
    `${cost.perDeliveryNs.toFixed(0)} ns for each that goes`,
  `saturated: ${size.messagesUnderWay} messages of each room under way, at most 220/s per client`,
  `cores that the load took (atrium, raw): ${loadCoresOf(steady)}; saturated ${loadCoresOf(saturated)}`
]

interface Rounds {
  readonly atrium: Array<FanOutRound>
  /** The same service's rooms without code. */
  readonly relay: Array<FanOutRound>
  readonly raw: Array<FanOutRound>
}

const beside = (
  rounds: Rounds,
  pick: (round: FanOutRound) => number,
  of: "atrium" | "relay" = "atrium"
) => ({
  value: median(rounds[of].map(pick)),
  raw: median(rounds.raw.map(pick))
})

const perCpuSecond = ({ deliveriesPerCpuSecond }: FanOutRound): number => deliveriesPerCpuSecond

const loadCoresOf = (rounds: Rounds): string => {
  const { value, raw } = beside(rounds, (round) => round.loadCores)
  return `${value.toFixed(2)}, ${raw.toFixed(2)}`
}

const steadyFigures = (rounds: Rounds): ReadonlyArray<Figure> => {
  const deliveries = beside(rounds, perCpuSecond)
  const p50 = beside(rounds, (round) => round.p50Ms)
  return [
    {
      ...{ name: "deliveries per CPU second", unit: "/s", ...deliveries },
      goal: atLeast(0.9, "ratio")
    },
    { name: "p50", unit: "ms", ...p50, goal: atMost(1.5, "ratio") },
    { name: "p99", unit: "ms", ...beside(rounds, (round) => round.p99Ms), goal: null },
    {
      ...{ name: "deliveries per second", unit: "/s" },
      ...{ ...beside(rounds, (round) => round.deliveriesPerSecond), goal: null }
    },
    {
      ...{ name: "deliveries/CPU s, goal of a window", unit: "/s", ...deliveries },
      goal: atLeast(1.5, "ratio")
    },
    { name: "p50, goal of a window", unit: "ms", ...p50, goal: atMost(6, "value") }
  ]
}

const saturatedFigures = (rounds: Rounds): ReadonlyArray<Figure> => [
  {
    name: "saturated: deliveries per CPU second",
    unit: "/s",
    ...beside(rounds, perCpuSecond),
    goal: atLeast(4.5, "ratio")
  },
  {
    name: "saturated: deliveries per second",
    unit: "/s",
    ...beside(rounds, (round) => round.deliveriesPerSecond),
    goal: null
  },
  {
    name: "saturated: p50",
    unit: "ms",
    ...beside(rounds, (round) => round.p50Ms),
    goal: null
  }
]

const relayFigures = (steady: Rounds, saturated: Rounds): ReadonlyArray<Figure> => [
  {
    ...{ name: "relay rooms: deliveries per CPU second", unit: "/s" },
    ...{ ...beside(steady, perCpuSecond, "relay"), goal: atLeast(1, "ratio") }
  },
  {
    ...{ name: "relay rooms: p50", unit: "ms" },
    ...{ ...beside(steady, ({ p50Ms }) => p50Ms, "relay"), goal: null }
  },
  {
    ...{ name: "relay rooms, saturated: deliveries per CPU second", unit: "/s" },
    ...{ ...beside(saturated, perCpuSecond, "relay"), goal: atLeast(5, "ratio") }
  }
]

/** What the limits of connections take of the service's CPU. */
const limitFigure = (
  { atrium }: Rounds,
  { cost, receivers }: { readonly cost: LimitCost; readonly receivers: number }
): Figure => ({
  ...{ name: "limits, of its CPU", unit: "%", raw: null, goal: atMost(5, "value") },
  value: median(
    atrium.map(({ deliveriesPerCpuSecond }) => {
      const nsPerDelivery = cost.perDeliveryNs + cost.perFrameNs / receivers
      return (100 * nsPerDelivery * deliveriesPerCpuSecond) / 1e9
    })
  )
})

const faultsOf = (rounds: Rounds): ReadonlyArray<string> =>
  Object.entries(rounds).flatMap(([name, each]: [string, ReadonlyArray<FanOutRound>]) =>
    each
      .filter((round) => round.heard !== round.expected)
      .map((round) => `${name}: ${round.heard} of ${round.expected} deliveries arrived`)
  )
