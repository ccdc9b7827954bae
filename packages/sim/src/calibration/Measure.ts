import { setTimeout as sleep } from "node:timers/promises"

import type { AnyRoomSchema } from "@atrium/sdk/schema"

import { median } from "../Statistics.ts"
import { messagePace } from "./MessageCost.ts"
import { type CpuSeconds, cpuSecondsOf, memoryBytesOf, untilQuiet } from "./ProcessCost.ts"
import { few, many, messageBytesMax, plain, tickHz, vault } from "./rooms/CalibrationSchemas.ts"
import { shared } from "./rooms/RelaySchema.ts"
import { percentile, type Samples, tickFit } from "./Samples.ts"
import { leaveAll, type Seat, type Seats } from "./Seats.ts"

/** How much is measured. */
export interface CalibrateExtent {
  readonly rounds: number
  /** Rooms that are made, and that wake, in a round. */
  readonly rooms: number
  /** Joins into rooms that are awake. */
  readonly joins: number
  /** Snapshots of each size. */
  readonly snapshots: number
  /** Seconds of each kind of play. */
  readonly playSeconds: number
  /** Players who do nothing, for the memory of one. */
  readonly sockets: number
  /** Relay rooms that do nothing. */
  readonly relayRooms: number
  readonly idleSeconds: number
}

export const extents: Readonly<Record<"quick" | "full", CalibrateExtent>> = {
  quick: {
    rounds: 3,
    rooms: 4,
    joins: 32,
    snapshots: 8,
    playSeconds: 1.5,
    idleSeconds: 2,
    sockets: 768,
    relayRooms: 300
  },
  full: {
    rounds: 7,
    rooms: 8,
    joins: 64,
    snapshots: 30,
    playSeconds: 5,
    idleSeconds: 10,
    sockets: 1_500,
    relayRooms: 1_000
  }
}

/** What a calibration works with. */
export interface Bench {
  readonly pid: number
  readonly code: Seats
  readonly relay: Seats
  readonly samples: Samples
  readonly extent: CalibrateExtent
  /** CPU of a service without players, in cores: it is no part of what players cost. */
  idleCores: number
  socketBytes: number
  /** Latencies of all rounds, ms. */
  readonly joinMs: Array<number>
  readonly wakeMs: Array<number>
}

/** The CPU of the service while something is done and until it is quiet again, less what it takes idle. */
const cpuMsOf = async (bench: Bench, act: () => Promise<void>): Promise<number> => {
  const startedAtMs = performance.now()
  const before = cpuSecondsOf(bench.pid).tree
  await act()
  await untilQuiet(bench.pid)
  const idleMs = bench.idleCores * (performance.now() - startedAtMs)
  return Math.max(0, (cpuSecondsOf(bench.pid).tree - before) * 1000 - idleMs)
}

/** Looks at a service without players: the median, as what it does from time to time is no part of a look. */
const idleLookMs = 250

/** While there is no player. What players cost is counted beside it. */
export const measureIdle = async (bench: Bench): Promise<void> => {
  await untilQuiet(bench.pid)
  const looks = await eachOf((bench.extent.idleSeconds * 1000) / idleLookMs, async () => {
    const before = cpuSecondsOf(bench.pid).tree
    const startedAtMs = performance.now()
    await sleep(idleLookMs)
    return ((cpuSecondsOf(bench.pid).tree - before) * 1000) / (performance.now() - startedAtMs)
  })
  bench.idleCores = median(looks)
  bench.samples.add("cpu.runnerIdleCores", bench.idleCores)
}

/**
 * Memory of what does nothing, once and before all else: what has ended leaves room for what comes, so that later
 * rounds would tell less.
 */
export const measureMemory = async (bench: Bench): Promise<void> => {
  const { pid, relay, extent, samples } = bench
  const before = memoryBytesOf(pid)
  samples.add("memory.runnerBytes", before)
  const seats = await eachOf(extent.relayRooms, (at) => relay.join(shared, `idle-${at}`))
  await untilQuiet(pid)
  const bytes = (memoryBytesOf(pid) - before) / extent.relayRooms
  await measureSockets(bench)
  samples.add("memory.relayRoomBytes", Math.max(0, bytes - bench.socketBytes))
  await leaveAll(seats)
  await asleep(bench)
}

/** Sockets of players who do nothing, in rooms that are there already. */
const measureSockets = async (bench: Bench): Promise<void> => {
  const { pid, code, extent, samples } = bench
  const rooms = Math.ceil(extent.sockets / (plain.maxClients - 1))
  const join = (at: number) => code.join(plain, `idle-${at % rooms}`)
  const seats = await eachOf(rooms, join)
  await untilQuiet(pid)
  const before = memoryBytesOf(pid)
  seats.push(...(await eachOf(extent.sockets, join)))
  await untilQuiet(pid)
  bench.socketBytes = Math.max(0, (memoryBytesOf(pid) - before) / extent.sockets)
  samples.add("memory.socketBytes", bench.socketBytes)
  await leaveAll(seats)
  await asleep(bench)
}

const upTo = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, at) => at)

/** One after another, as each has the machine for itself. */
const eachOf = async <A>(count: number, act: (at: number) => Promise<A>): Promise<Array<A>> => {
  const done: Array<A> = []
  for (const at of upTo(count)) done.push(await act(at))
  return done
}

/** Everything once. @param round makes rooms of other names */
export const measureRound = async (
  bench: Bench,
  round: number,
  say: (text: string) => void
): Promise<void> => {
  await measureIdle(bench)
  say("rooms and joins")
  await measureRooms(bench, round)
  say("relay rooms")
  await measureRelay(bench, round)
  say("snapshots")
  await measureSnapshots(bench, round)
}

const measureRooms = async (bench: Bench, round: number): Promise<void> => {
  const { pid, code, samples, extent, socketBytes } = bench
  const { rooms, joins } = extent
  const nameOf = (at: number): string => `plain-${round}-${at % rooms}`
  const seats: Array<Seat<typeof plain>> = []
  const join = async (at: number): Promise<Seat<typeof plain>> => {
    const seat = await code.join(plain, nameOf(at))
    seats.push(seat)
    return seat
  }
  const start = (path: string) => async (): Promise<void> => {
    const cpuMs = await eachOf(rooms, (at) =>
      cpuMsOf(bench, async () => {
        const { joinMs } = await join(at)
        bench.wakeMs.push(joinMs)
      })
    )
    samples.add(path, sum(cpuMs) / rooms)
  }
  const emptyBytes = memoryBytesOf(pid)
  await start("cpu.joinNewRoomMs")()
  const roomsBytes = memoryBytesOf(pid)
  const joinCpuMs = await cpuMsOf(bench, async () => {
    for (const { joinMs } of await eachOf(joins, join)) bench.joinMs.push(joinMs)
  })
  samples.add("cpu.joinAwakeMs", joinCpuMs / joins)
  samples.add("memory.roomWithCodeBytes", (roomsBytes - emptyBytes) / rooms - socketBytes)
  await leaveAll(seats.splice(0))
  await asleep(bench)
  await start("cpu.wakeMs")()
  await leaveAll(seats)
  await asleep(bench)
}

const sum = (values: ReadonlyArray<number>): number => values.reduce((all, each) => all + each, 0)

/** Rooms sleep soon after their last player has gone. */
const asleepAfterMs = 500
const asleep = async ({ pid }: Bench): Promise<void> => {
  await sleep(asleepAfterMs)
  await untilQuiet(pid)
}

/** Players take turns to talk: they know nothing of each other. */
const sendEveryMs = 2
const smallMessageBytes = 16

/** Rooms that get messages at one of the two points, and the players of each. */
const talking = {
  quiet: { rooms: 12, players: 1 },
  busy: { rooms: 2, players: 48 }
} as const

/**
 * A room of a game runs for minutes: its code, and that of the service, has been compiled by then. The busy rooms come
 * first and warm the service for all.
 */
const warmUp = {
  messagesPerSecond: 4_000,
  busySeconds: 15,
  quietSeconds: 3,
  tickSeconds: 6
} as const

/**
 * What a message costs beside a room that is there: at the quiet point rooms sleep between messages, at the busy one
 * they tick as well, as a game with so many messages does.
 */
export const measureMessages = async (bench: Bench): Promise<void> => {
  const { samples, extent } = bench
  const busy = await talkIn(bench, "busy")
  for (const _ of upTo(extent.rounds)) {
    const small = await busy.messageUs(smallMessageBytes)
    const large = await busy.messageUs(messageBytesMax)
    samples.add("cpu.messageInBusyUs", small)
    const perKb = (large - small) / ((messageBytesMax - smallMessageBytes) / 1024)
    samples.add("cpu.messageInPerKbUs", perKb)
  }
  await busy.leave()
  const quiet = await talkIn(bench, "quiet")
  for (const _ of upTo(extent.rounds)) {
    samples.add("cpu.messageInUs", await quiet.messageUs(smallMessageBytes))
  }
  await quiet.leave()
}

/** Fills the rooms of one point, and lets them run for some time. */
const talkIn = async (bench: Bench, point: keyof typeof talking) => {
  const { rooms, players: each } = talking[point]
  const schema = point === "quiet" ? plain : few
  const seats = await eachOf(rooms * each, (at) =>
    bench.code.join(schema, `${point}-${at % rooms}`)
  )
  const talk = async (perSecond: number, bytes: number, untilMs: number): Promise<number> => {
    const data = new Uint8Array(bytes).fill(7)
    const startedAtMs = performance.now()
    let sent = 0
    for (let nowMs = startedAtMs; nowMs < untilMs; nowMs = performance.now()) {
      const due = ((nowMs - startedAtMs) / 1000) * perSecond
      for (; sent < due; sent += 1) seats[sent % seats.length]?.room.send("note", { data })
      await sleep(sendEveryMs)
    }
    return sent
  }
  const warmUntilMs = performance.now() + warmUp[`${point}Seconds`] * 1000
  await talk(warmUp.messagesPerSecond, smallMessageBytes, warmUntilMs)
  const messageUs = async (bytes: number): Promise<number> => {
    const silent = await playOf(bench, async (untilMs) => {
      await sleep(untilMs - performance.now())
    })
    let sent = 0
    const cpu = await playOf(bench, async (untilMs) => {
      sent = await talk(messagePace[point] * rooms, bytes, untilMs)
    })
    addShare(bench, cpu)
    return ((cpu.tree - silent.tree) * 1e6) / sent
  }
  const leave = async (): Promise<void> => {
    await leaveAll(seats)
    await asleep(bench)
  }
  return { messageUs, leave }
}

const addShare = ({ samples }: Bench, { own, tree }: CpuSeconds): void =>
  samples.add("cpu.serviceShare", Math.min(1, own / tree))

/** CPU while something is played for so long, less what the service takes idle. */
const playOf = async (
  { pid, extent, idleCores }: Bench,
  play: (untilMs: number) => Promise<void>
): Promise<CpuSeconds> => {
  const before = cpuSecondsOf(pid)
  const startedAtMs = performance.now()
  await play(startedAtMs + extent.playSeconds * 1000)
  const after = cpuSecondsOf(pid)
  const idle = (idleCores * (performance.now() - startedAtMs)) / 1000
  const cpu = {
    tree: Math.max(0, after.tree - before.tree - idle),
    own: Math.max(0, after.own - before.own - idle)
  }
  return cpu
}

const measureRelay = async (bench: Bench, round: number): Promise<void> => {
  const { rooms } = bench.extent
  const seats: Array<Seat<typeof shared>> = []
  const cpuMs = await cpuMsOf(bench, async () => {
    seats.push(...(await eachOf(rooms, (at) => bench.relay.join(shared, `shared-${round}-${at}`))))
  })
  bench.samples.add("cpu.joinNewRelayRoomMs", cpuMs / rooms)
  await leaveAll(seats)
  await asleep(bench)
}

/** A room stores at most so often. */
const storeEveryMs = 110

const measureSnapshots = async (bench: Bench, round: number): Promise<void> => {
  const { snapshots } = bench.extent
  const perSnapshotMs = async (schema: typeof plain | typeof vault): Promise<number> => {
    const seat = await bench.code.join(schema, `${schema.type}-store-${round}`)
    await untilQuiet(bench.pid)
    const cpuMs = await cpuMsOf(bench, async () => {
      await eachOf(snapshots, async () => {
        await seat.room.request("store", {})
        await sleep(storeEveryMs)
      })
    })
    await leaveAll([seat])
    await asleep(bench)
    return cpuMs / snapshots
  }
  const small = await perSnapshotMs(plain)
  const large = await perSnapshotMs(vault)
  bench.samples.add("cpu.snapshotMs", small)
  bench.samples.add("cpu.snapshotPerKbMs", (large - small) / 64)
}

/** Rooms that tick at once: their ticks are counted together. */
const tickingRooms = 4
const players = { less: 1, more: 33 } as const

export const measureTicks = async (bench: Bench): Promise<void> => {
  const { samples, extent } = bench
  const small = await ticksOf(bench, few)
  const large = await ticksOf(bench, many)
  for (const round of upTo(extent.rounds)) {
    const [ofSmall, ofLarge] = [small(round), large(round)]
    const perKb = (ofLarge.patchUs - ofSmall.patchUs) / ((ofLarge.bytes - ofSmall.bytes) / 1024)
    samples.add("cpu.tickUs", ofSmall.tickUs)
    samples.add("cpu.patchOutPerKbUs", perKb)
    samples.add("cpu.patchOutUs", ofSmall.patchUs - (perKb * ofSmall.bytes) / 1024)
  }
}

interface Ticks {
  readonly players: number
  readonly us: number
  /** Of a patch. */
  readonly bytes: number
}

/** Measures ticks of rooms that have run for some time, with all players and then with one in each. */
const ticksOf = async (bench: Bench, schema: AnyRoomSchema) => {
  const { extent, code } = bench
  const usOf = async (count: number): Promise<Ticks> => {
    const before = code.traffic.bytesIn
    const cpu = await playOf(bench, async (untilMs) => {
      await sleep(untilMs - performance.now())
    })
    const ticks = tickHz * extent.playSeconds * tickingRooms
    if (count === players.more) addShare(bench, cpu)
    const bytes = (code.traffic.bytesIn - before) / ticks / count
    return { players: count, us: (cpu.tree * 1e6) / ticks, bytes }
  }
  const seats = await eachOf(players.more * tickingRooms, (at) =>
    code.join(schema, `${schema.type}-${at % tickingRooms}`)
  )
  await sleep(warmUp.tickSeconds * 1000)
  const more = await eachOf(extent.rounds, () => usOf(players.more))
  await leaveAll(seats.splice(players.less * tickingRooms))
  await sleep(asleepAfterMs)
  const less = await eachOf(extent.rounds, () => usOf(players.less))
  await leaveAll(seats)
  await asleep(bench)
  return (round: number) => {
    const [one, all] = [less[round], more[round]]
    if (one === undefined || all === undefined) throw new Error(`there is no round ${round}`)
    return { ...tickFit([one, all]), bytes: all.bytes }
  }
}

/** The waits of all rounds. */
export const measureLatency = ({ samples, joinMs, wakeMs }: Bench): void => {
  for (const [name, values] of [
    ["joinAwake", joinMs],
    ["wake", wakeMs]
  ] as const) {
    samples.add(`latency.${name}P50Ms`, percentile(values, 0.5))
    samples.add(`latency.${name}P99Ms`, percentile(values, 0.99))
  }
}
