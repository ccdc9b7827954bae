import {
  allTeams,
  bodies,
  floats,
  ownTeam,
  quantised,
  teams,
  tickHz
} from "@atrium/api/testing/load/rooms/BenchSchemas"
import { type Hear, joinRaw, joinRoom, type Seat } from "@atrium/api/testing/load/RoomSeat"
import type { Server } from "@atrium/api/testing/load/RoomSeat"
import { isAsleep } from "@atrium/api/testing/load/Servers"
import { eachOf, sleep, upTo } from "@atrium/api/testing/load/Tasks"
import type { AnyRoomSchema } from "@atrium/sdk/schema"
import { ServerFrame } from "@atrium/wire/frames/Frame"

import type { Bench } from "./Bench.ts"
import { atMost, besideWs, type Figure, type Measured } from "./Figure.ts"
import type { Peer } from "./peers/Peer.ts"
import { besidePeers, noPeerRounds } from "./peers/PeerFigures.ts"
import { cpuByRoleOf, cpuSecondsOf, formatShares, untilQuiet } from "./ProcessCost.ts"

export interface WatchSize {
  readonly clients: number
  readonly seconds: number
}

export interface StateSyncSize extends WatchSize {
  readonly rounds: number
}

/** Four float32 for each body: what has to cross in any case. */
const floorBytes = bodies * 4 * 4
const joinsAtOnce = 4
/** From a client's first patches on, so that joining is over. */
const settleMs = 200

export interface SyncRound {
  readonly cpuMsPerTick: number
  readonly bytesPerTick: number
  readonly ticksPerSecond: number
  /** The programs that used the CPU. */
  readonly shares: string
  readonly faults: ReadonlyArray<string>
}

/** One client, and the patches and bytes that it gets. */
class Watcher {
  patches = 0
  bytes = 0
  lost = 0
  #lastTick: number | null = null

  hearPatch: Hear = (bytes, start, end) => {
    if (bytes[start + 1] !== ServerFrame.patch) return
    this.#count(readTick(bytes, start + 2), end - start)
  }

  /** Its patches carry no number of a tick. */
  hearPeer(peer: Peer): Hear {
    return (bytes, start, end) => {
      if (!peer.isPatch(bytes, start)) return
      this.patches++
      this.bytes += end - start
    }
  }

  hearRaw: Hear = (bytes, start, end) => this.#count(bytes.readUInt32LE(start), end - start)

  #count(tick: number, length: number): void {
    if (this.#lastTick !== null && tick !== this.#lastTick + 1) this.lost++
    this.#lastTick = tick
    this.patches++
    this.bytes += length
  }
}

/** A whole number of msgpack. */
const readTick = (bytes: Buffer, at: number): number => {
  const first = bytes[at] ?? 0
  if (first === 0xcc) return bytes.readUInt8(at + 1)
  if (first === 0xcd) return bytes.readUInt16BE(at + 1)
  return first === 0xce ? bytes.readUInt32BE(at + 1) : first
}

type Name = "raw" | "floats" | "ownTeam" | "allTeams" | "quantised"
type Rounds = (name: Name, pick: (round: SyncRound) => number) => ReadonlyArray<number>

const rooms: ReadonlyArray<readonly [Name, AnyRoomSchema]> = [
  ["floats", floats],
  ["ownTeam", ownTeam],
  ["allTeams", allTeams],
  ["quantised", quantised]
]

/** W2: one room whose whole state changes with every tick, and many who watch. */
export const stateSync = async (bench: Bench, size: StateSyncSize): Promise<Measured> => {
  const { servers } = bench
  const [service, raw] = [await bench.service(), await servers.raw()]
  const rounds: Readonly<Record<Name, Array<SyncRound>>> = {
    raw: [],
    floats: [],
    ownTeam: [],
    allTeams: [],
    quantised: []
  }
  const watchRoom = (schema: AnyRoomSchema) =>
    watch({ server: service, size }, (watcher, index) =>
      joinRoom(service, {
        schema,
        room: schema.type,
        player: `player-${index}`,
        from: servers.addresses.next(),
        hear: watcher.hearPatch
      })
    )
  const watchRaw = () =>
    watch({ server: raw, size }, (watcher) =>
      joinRaw(raw, { path: "/state/a", from: servers.addresses.next(), hear: watcher.hearRaw })
    )
  const peers = noPeerRounds<SyncRound>(await bench.peers())
  const watchPeer = (peer: Peer, round: number) =>
    watch({ server: peer, size }, (watcher) =>
      peer.join({
        kind: "state",
        room: `state-${round}`,
        from: servers.addresses.next(),
        hear: watcher.hearPeer(peer)
      })
    )
  const faults: Array<string> = []
  for (let round = 1; round <= size.rounds; round++) {
    bench.progress(`W2: round ${round} of ${size.rounds}`)
    rounds.raw.push(await watchRaw())
    for (const [name, schema] of rooms) {
      rounds[name].push(await watchRoom(schema))
      if (!(await isAsleep(service))) faults.push("the room does not sleep between two rounds")
    }
    for (const each of peers) each.rounds.push(await watchPeer(each.peer, round))
  }
  const of: Rounds = (name, pick) => rounds[name].map(pick)
  const lost = Object.entries(rounds).flatMap(([name, each]: [string, ReadonlyArray<SyncRound>]) =>
    each.flatMap((round) => round.faults.map((fault) => `${name}: ${fault}`))
  )
  const silent = peers.flatMap(({ peer, rounds: each }) =>
    each.flatMap((round) => round.faults.map((fault) => `${peer.name}: ${fault}`))
  )
  const beside = (name: string, unit: string, pick: (round: SyncRound) => number) =>
    besidePeers({ name, unit, rounds: of("floats", pick) }, peers, { pick })
  return {
    workload: "W2",
    figures: [
      ...figuresOf(of),
      ...beside("float32: CPU per tick", "ms", (round) => round.cpuMsPerTick),
      ...beside("float32: bytes per tick and client", "B", (round) => round.bytesPerTick)
    ],
    faults: [...faults, ...lost, ...silent],
    notes: [
      `1 room, ${size.clients} clients, ${bodies} bodies × 4 fields, all changing at ${tickHz} Hz; ` +
        `rounds: ${size.rounds}`,
      `by a rule: a client sees the bodies of its own of ${teams} teams, or those of all`,
      `${floorBytes.toLocaleString("en-US")} B are the float32 alone; quantised: 251 values a field`,
      `CPU of the last round with float32: ${rounds.floats.at(-1)?.shares}`
    ]
  }
}

const figuresOf = (of: Rounds): ReadonlyArray<Figure> => {
  const row = (
    name: string,
    figure: {
      readonly of: Name
      readonly unit: string
      pick(round: SyncRound): number
      readonly goal: Figure["goal"]
    }
  ): Figure => ({
    name,
    unit: figure.unit,
    rounds: of(figure.of, figure.pick),
    reference: besideWs(of("raw", figure.pick)),
    goal: figure.goal
  })
  const cpu = { unit: "ms", pick: (round: SyncRound) => round.cpuMsPerTick }
  const bytes = { unit: "B", pick: (round: SyncRound) => round.bytesPerTick }
  const byRule = (name: string, filtered: Name): Figure => ({
    name: `${name}: CPU per tick`,
    unit: cpu.unit,
    rounds: of(filtered, cpu.pick),
    reference: { name: "no rule", rounds: of("floats", cpu.pick), weakness: null },
    goal: atMost(1.5, "ratio")
  })
  const ticks = { unit: "/s", pick: (round: SyncRound) => round.ticksPerSecond, goal: null }
  return [
    row("float32: CPU per tick", { of: "floats", ...cpu, goal: atMost(1.25, "ratio") }),
    row("float32: bytes per tick and client", {
      of: "floats",
      ...bytes,
      goal: atMost(1.03 * floorBytes, "value")
    }),
    row("float32: ticks per second", { of: "floats", ...ticks }),
    byRule("own team by rule", "ownTeam"),
    row("own team by rule: bytes per tick and client", { of: "ownTeam", ...bytes, goal: null }),
    byRule("all teams by rule", "allTeams"),
    row("quantised: CPU per tick", { of: "quantised", ...cpu, goal: null }),
    row("quantised: bytes per tick and client", {
      of: "quantised",
      ...bytes,
      goal: atMost(0.3 * floorBytes, "value")
    })
  ]
}

/** Joins, counts for a while, and leaves. */
export const watch = async (
  { server, size }: { readonly server: Server; readonly size: WatchSize },
  join: (watcher: Watcher, index: number) => Promise<Seat>
): Promise<SyncRound> => {
  const watchers = upTo(size.clients).map(() => new Watcher())
  const seats = await eachOf(watchers, joinsAtOnce, join)
  await sleep(settleMs)
  const total = (pick: (watcher: Watcher) => number): number =>
    watchers.reduce((sum, watcher) => sum + pick(watcher), 0)
  const before = {
    cpu: cpuSecondsOf(server.pid),
    roles: cpuByRoleOf(server.pid),
    atMs: performance.now(),
    patches: total((watcher) => watcher.patches),
    bytes: total((watcher) => watcher.bytes)
  }
  await sleep(size.seconds * 1000)
  const cpuMs = (cpuSecondsOf(server.pid) - before.cpu) * 1000
  const seconds = (performance.now() - before.atMs) / 1000
  const shares = formatShares(before.roles, cpuByRoleOf(server.pid))
  const patches = total((watcher) => watcher.patches) - before.patches
  const bytes = total((watcher) => watcher.bytes) - before.bytes
  for (const { socket } of seats) socket.leave()
  await untilQuiet(server.pid)
  const ticks = patches / size.clients
  const lost = total((watcher) => watcher.lost)
  const silent = watchers.filter((watcher) => watcher.patches === 0).length
  return {
    cpuMsPerTick: cpuMs / ticks,
    bytesPerTick: bytes / patches,
    ticksPerSecond: ticks / seconds,
    shares,
    faults: [
      ...(lost > 0 ? [`${lost} patches did not follow the one before`] : []),
      ...(silent > 0 ? [`${silent} clients got no patch`] : [])
    ]
  }
}
