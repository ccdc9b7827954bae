import { readFileSync } from "node:fs"

import { lounge, nap } from "@atrium/api/testing/load/rooms/BenchSchemas"
import { signal } from "@atrium/api/testing/load/rooms/RelaySchema"
import { joinRaw, joinRoom, type Seat, type Server } from "@atrium/api/testing/load/RoomSeat"
import { type BenchService, isAsleep } from "@atrium/api/testing/load/Servers"
import { median } from "@atrium/api/testing/load/Statistics"
import { eachOf, upTo } from "@atrium/api/testing/load/Tasks"

import type { Bench } from "./Bench.ts"
import { atMost, besideWs, type Figure, type Goal, type Measured } from "./Figure.ts"
import { cpuSecondsOf, untilQuiet } from "./ProcessCost.ts"

export interface ManyRoomsSize {
  /** Relay rooms that are awake while further ones are created, from few to many. */
  readonly relayRooms: ReadonlyArray<number>
  /** Rooms with code that are awake while others wake, from few to many. */
  readonly awakeRooms: ReadonlyArray<number>
  /** Rooms that are created, or wake, beside them. */
  readonly probes: number
  /** Time to bring the rooms up beside which it is measured; past it the larger counts are left out. */
  readonly fillSeconds: number
}

interface Place {
  readonly bench: Bench
  readonly service: BenchService
  readonly raw: Server
}

/** What a new or a woken room cost beside so many others. */
interface Probe {
  readonly beside: number
  readonly cpuMs: number
  readonly p50Ms: number
}

interface Probes {
  readonly probes: ReadonlyArray<Probe>
  /** Why some counts are left out. */
  readonly notes: ReadonlyArray<string>
}

const fillAtOnce = 16
/** Each is a process with V8 of its own. */
const roomMiB = 16
/** What the machine keeps for everything else. */
const spareMiB = 3072

/** W3, its second part: whether it costs more to create and to wake rooms when there are many. */
export const manyRooms = async (
  bench: Bench,
  size: ManyRoomsSize
): Promise<Omit<Measured, "workload">> => {
  // Rooms of the rounds before stay awake: these have a service of their own.
  const place = { bench, service: await bench.service(), raw: await bench.servers.raw() }
  const raw = await creating(place, size, "raw")
  const created = await creating(place, size, "relay")
  const woken = await waking(place, size)
  return {
    figures: [
      ...creationFigures(created.probes, raw.probes),
      ...growth("a new relay room: p50", created.probes),
      ...wakeFigures(woken.probes),
      ...growth("a wake: p50", woken.probes)
    ],
    faults: woken.faults,
    notes: [
      `${size.probes} rooms are created, or wake, one after another beside those that are awake`,
      ...created.notes,
      ...woken.notes
    ]
  }
}

const creationFigures = (
  created: ReadonlyArray<Probe>,
  raw: ReadonlyArray<Probe>
): ReadonlyArray<Figure> =>
  created.flatMap((probe, index) => {
    const row = (name: string, pick: (probe: Probe) => number, goal: Goal | null): Figure => ({
      name: `a new relay room beside ${probe.beside}: ${name}`,
      unit: "ms",
      rounds: [pick(probe)],
      reference: besideWs(raw.slice(index, index + 1).map(pick)),
      goal
    })
    return [
      row("CPU/join", ({ cpuMs }) => cpuMs, atMost(4, "ratio")),
      row("p50", ({ p50Ms }) => p50Ms, null)
    ]
  })

const wakeFigures = (woken: ReadonlyArray<Probe>): ReadonlyArray<Figure> =>
  woken.flatMap(({ beside, cpuMs, p50Ms }) => {
    const row = (name: string, value: number): Figure => ({
      name: `a wake beside ${beside} rooms with code: ${name}`,
      unit: "ms",
      rounds: [value],
      reference: null,
      goal: null
    })
    return [row("CPU", cpuMs), row("p50", p50Ms)]
  })

/** Beside the most rooms, as a multiple of what it is beside the fewest. */
const growth = (name: string, probes: ReadonlyArray<Probe>): ReadonlyArray<Figure> => {
  const [few, many] = [probes[0], probes.at(-1)]
  if (few === undefined || many === undefined || few === many) return []
  return [
    {
      name: `${name} beside ${many.beside}, of beside ${few.beside}`,
      unit: "x",
      rounds: [many.p50Ms / few.p50Ms],
      reference: null,
      goal: atMost(1.2, "value")
    }
  ]
}

/** Creates rooms without code up to each count, and measures the next ones. */
const creating = async (
  { bench, service, raw }: Place,
  size: ManyRoomsSize,
  side: "raw" | "relay"
): Promise<Probes> => {
  const from = () => bench.servers.addresses.next()
  const join = (room: string): Promise<Seat> =>
    side === "raw"
      ? joinRaw(raw, { path: `/join/${room}`, from: from() })
      : joinRoom(service.relay, { schema: signal, room, player: "player", from: from() })
  const { pid } = side === "raw" ? raw : service
  const filler = new Filler(size, (room) => join(`many-${room}`))
  const probes: Array<Probe> = []
  for (const beside of size.relayRooms) {
    bench.progress(`W3: ${beside} rooms without code, ${side}`)
    if (!(await filler.fill(beside))) break
    await untilQuiet(pid)
    probes.push(await probed({ pid, beside }, size, (probe) => join(`probe-${beside}-${probe}`)))
  }
  for (const { socket } of filler.seats) socket.leave()
  await untilQuiet(pid)
  return { probes, notes: leftOut("relay rooms", { counts: size.relayRooms, probes, filler }) }
}

/** Wakes rooms with code beside each count of others that are awake. */
const waking = async (
  { bench, service }: Place,
  size: ManyRoomsSize
): Promise<Probes & { readonly faults: ReadonlyArray<string> }> => {
  const from = () => bench.servers.addresses.next()
  const enter = (probe: number): Promise<Seat> =>
    joinRoom(service, { schema: nap, room: `woken-${probe}`, player: "player", from: from() })
  const filler = new Filler(size, (room) =>
    joinRoom(service, { schema: lounge, room: `beside-${room}`, player: "player", from: from() })
  )
  const probes: Array<Probe> = []
  const faults: Array<string> = []
  for (const { socket } of await eachOf(upTo(size.probes), 1, enter)) socket.leave()
  if (!(await isAsleep(service))) faults.push("the rooms that are to wake do not sleep")
  for (const beside of size.awakeRooms) {
    bench.progress(`W3: ${beside} rooms with code`)
    if ((beside - filler.seats.length) * roomMiB + spareMiB > freeMiB()) break
    if (!(await filler.fill(beside))) break
    await untilQuiet(service.pid)
    probes.push(await probed({ pid: service.pid, beside }, size, enter))
    if (!(await isAsleep(service, beside))) faults.push("a room that woke does not sleep again")
  }
  return {
    probes,
    faults,
    notes: leftOut("rooms with code", { counts: size.awakeRooms, probes, filler })
  }
}

/** Joins rooms one after another, each when the one before has been forgotten, and leaves them. */
const probed = async (
  { pid, beside }: { readonly pid: number; readonly beside: number },
  { probes }: ManyRoomsSize,
  join: (probe: number) => Promise<Seat>
): Promise<Probe> => {
  const before = cpuSecondsOf(pid)
  const seats = await eachOf(upTo(probes), 1, async (probe) => {
    const seat = await join(probe)
    await untilQuiet(pid)
    return seat
  })
  const cpuMs = ((cpuSecondsOf(pid) - before) * 1000) / probes
  for (const { socket } of seats) socket.leave()
  await untilQuiet(pid)
  return { beside, cpuMs, p50Ms: median(seats.map((seat) => seat.joinedAfterMs)) }
}

/** Brings rooms up to a count, many at once, within a time for all counts together. */
class Filler {
  readonly #join: (room: number) => Promise<Seat>
  readonly #size: ManyRoomsSize
  readonly seats: Array<Seat> = []
  #spentMs = 0

  constructor(size: ManyRoomsSize, join: (room: number) => Promise<Seat>) {
    this.#size = size
    this.#join = join
  }

  /** @returns whether there are so many now */
  async fill(count: number): Promise<boolean> {
    const startedAtMs = performance.now()
    const first = this.seats.length
    const isOver = (): boolean =>
      this.#spentMs + performance.now() - startedAtMs > this.#size.fillSeconds * 1000
    await eachOf(upTo(count - first), fillAtOnce, async (room) => {
      if (!isOver()) this.seats.push(await this.#join(first + room))
    })
    this.#spentMs += performance.now() - startedAtMs
    return this.seats.length >= count
  }
}

/** Says which counts were not reached. */
const leftOut = (
  what: string,
  of: { counts: ReadonlyArray<number>; probes: ReadonlyArray<Probe>; filler: Filler }
): ReadonlyArray<string> => {
  const missing = of.counts.slice(of.probes.length)
  if (missing.length === 0) return []
  const there = of.filler.seats.length
  return [
    `left out, for want of time or memory: ${missing.join(", ")} ${what}; there were ${there}`
  ]
}

/** Memory that the machine could give to processes now. */
const freeMiB = (): number =>
  Number(/^MemAvailable: +(\d+) kB$/m.exec(readFileSync("/proc/meminfo", "utf8"))?.[1] ?? 0) / 1024
