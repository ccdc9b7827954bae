import { lounge, nap, sharedLounge } from "@atrium/api/testing/load/rooms/BenchSchemas"
import { signal } from "@atrium/api/testing/load/rooms/RelaySchema"
import { joinRaw, joinRoom, type Seat } from "@atrium/api/testing/load/RoomSeat"
import type { Server } from "@atrium/api/testing/load/RoomSeat"
import { type BenchService, isAsleep } from "@atrium/api/testing/load/Servers"
import { eachOf, sleep, upTo } from "@atrium/api/testing/load/Tasks"
import { roomProcessesOf } from "@atrium/api/testing/ProcessTree"

import type { Bench } from "./Bench.ts"
import { atMost, besideWs, type Figure, type Measured } from "./Figure.ts"
import type { Peer } from "./peers/Peer.ts"
import { besidePeers, type PeerRounds } from "./peers/PeerFigures.ts"
import {
  cpuSecondsOf,
  type ByRole,
  pssByRoleOf,
  pssKiBOf,
  treePssKiBOf,
  untilQuiet
} from "./ProcessCost.ts"

export interface IdleCostSize {
  readonly rooms: number
  /** Sockets that are there before the memory of one is measured: the heap has grown by then. */
  readonly firstSockets: number
  readonly sockets: number
  readonly sleepingRooms: number
  /** Half of them before the measurement, so that the heap has grown. */
  readonly relayRooms: number
  /** At least as long as it takes until all sockets have been pinged once. */
  readonly idleSeconds: number
}

const joinsAtOnce = 8
const quiet = { withinMs: 20_000 }
const KiBPerMiB = 1024
/** Nothing there keeps time: a short look is enough. */
const rawIdleSeconds = 2

interface Idle {
  readonly kiBPerSocket: number
  /** The same by what the processes are for, for people. */
  readonly kiBByRole: ByRole
  readonly cores: number
  readonly seats: ReadonlyArray<Seat>
}

interface Sleeping {
  readonly kiBPerRoom: number
  readonly processesPerRoom: number
  readonly faults: ReadonlyArray<string>
}

/** W4: what rooms and sockets cost that do nothing. */
export const idleCost = async (bench: Bench, size: IdleCostSize): Promise<Measured> => {
  const { servers } = bench
  const from = () => servers.addresses.next()
  const raw = await servers.raw()
  bench.progress(`W4: ${size.sockets} idle sockets on the reference`)
  const idleRaw = await idle(raw, { ...size, idleSeconds: rawIdleSeconds }, (index) =>
    joinRaw(raw, { path: `/join/${index % size.rooms}`, from: from() })
  )
  const rawRoomKiB = await roomKiB(raw, size.relayRooms, (room) =>
    joinRaw(raw, { path: `/join/relay-${room}`, from: from() })
  )
  for (const { socket } of idleRaw.seats) socket.cut()
  const peers: Array<PeerRounds<SideCost>> = []
  for (const peer of await bench.peers()) {
    bench.progress(`W4: ${size.sockets} idle sockets on ${peer.name}`)
    peers.push({ peer, rounds: [await peerCost(peer, size, from)] })
  }
  const service = await bench.service()
  bench.progress(`W4: ${size.sleepingRooms} rooms sleep`)
  const sleeping = await sleepingCost(service, size, (room) =>
    joinRoom(service, { schema: nap, room: `nap-${room}`, player: "player", from: from() })
  )
  bench.progress(`W4: ${size.rooms} rooms awake`)
  const enter = (index: number): Promise<Seat> =>
    joinRoom(service, {
      schema: lounge,
      room: `lounge-${index % size.rooms}`,
      player: `player-${index}`,
      from: from()
    })
  await eachOf(upTo(size.rooms), 1, enter)
  await untilQuiet(service.pid, quiet)
  const awakeKiB = awakeRoomKiB(service, size.rooms)
  bench.progress(`W4: ${size.sockets} idle sockets on the service`)
  const idleAtrium = await idle(service, size, enter)
  const connected = await service.gauge("atrium_sockets")
  const expected = idleAtrium.seats.length + size.rooms
  bench.progress(`W4: ${size.relayRooms} relay rooms`)
  const relayKiB = await relayRoomKiB(service, size.relayRooms, from)
  bench.progress(`W4: ${size.rooms} rooms that share processes`)
  const sharedKiB = await sharedRoomKiB(service, size.rooms, from)
  const atrium: SideCost = { idle: idleAtrium, roomKiB: relayKiB }
  return {
    workload: "W4",
    figures: [
      ...figuresOf({
        raw: { idle: idleRaw, roomKiB: rawRoomKiB },
        atrium,
        awakeKiB,
        sharedKiB,
        sleeping
      }),
      ...peerFigures(atrium, peers)
    ],
    faults: [
      ...sleeping.faults,
      ...(connected === expected ? [] : [`${connected} of ${expected} sockets are still open`])
    ],
    notes: [
      `${size.rooms} awake rooms with code, ${size.sockets} sockets, ${size.sleepingRooms} sleeping ` +
        `rooms, ${size.relayRooms} relay rooms with a client each; idle for ${size.idleSeconds} s`,
      "memory is PSS of the whole tree, with garbage that nobody has collected yet",
      `of the memory per idle socket: ${formatRoles(idleAtrium.kiBByRole)}`
    ]
  }
}

const formatRoles = ({ service, rooms, database }: ByRole): string =>
  `the service's own process ${service.toFixed(1)} KiB, its room processes ${rooms.toFixed(1)} KiB, ` +
  `PostgreSQL ${database.toFixed(1)} KiB`

interface SideCost {
  readonly idle: Idle
  readonly roomKiB: number
}

const figuresOf = (of: {
  readonly raw: SideCost
  readonly atrium: SideCost
  readonly awakeKiB: number
  readonly sharedKiB: number
  readonly sleeping: Sleeping
}): ReadonlyArray<Figure> => {
  const row = (
    name: string,
    unit: string,
    figure: { readonly value: number; readonly raw?: number; readonly atMost?: number }
  ): Figure => ({
    name,
    unit,
    rounds: [figure.value],
    reference: figure.raw === undefined ? null : besideWs([figure.raw]),
    goal: figure.atMost === undefined ? null : atMost(figure.atMost, "value")
  })
  const { raw, atrium, awakeKiB, sharedKiB, sleeping } = of
  return [
    row("memory per idle socket", "KiB", {
      value: atrium.idle.kiBPerSocket,
      raw: raw.idle.kiBPerSocket,
      atMost: 10
    }),
    row("memory per awake room with code", "MiB", { value: awakeKiB / KiBPerMiB, atMost: 15 }),
    row("memory per room that shares a process, its one socket included", "MiB", {
      value: sharedKiB / KiBPerMiB,
      atMost: 1
    }),
    row("memory per relay room, its one socket included", "KiB", {
      value: atrium.roomKiB,
      raw: raw.roomKiB,
      atMost: 60
    }),
    row("processes per sleeping room", "", { value: sleeping.processesPerRoom, atMost: 0 }),
    row("memory per sleeping room", "KiB", { value: sleeping.kiBPerRoom }),
    row("CPU with all of them idle", "cores", {
      value: atrium.idle.cores,
      raw: raw.idle.cores,
      atMost: 0.02
    })
  ]
}

/** A peer with the same sockets and rooms, all of which it loses afterwards. */
const peerCost = async (peer: Peer, size: IdleCostSize, from: () => string): Promise<SideCost> => {
  const idlePeer = await idle(peer, size, (index) =>
    peer.join({ kind: "lounge", room: `lounge-${index % size.rooms}`, from: from() })
  )
  const cost = await roomKiB(peer, size.relayRooms, (room) =>
    peer.join({ kind: "relay", room: `relay-${room}`, from: from() })
  )
  for (const { socket } of idlePeer.seats) socket.cut()
  return { idle: idlePeer, roomKiB: cost }
}

const peerFigures = (
  atrium: SideCost,
  peers: ReadonlyArray<PeerRounds<SideCost>>
): ReadonlyArray<Figure> => {
  const row = (name: string, unit: string, pick: (cost: SideCost) => number) =>
    besidePeers({ name, unit, rounds: [pick(atrium)] }, peers, { pick })
  return [
    ...row("memory per idle socket", "KiB", (cost) => cost.idle.kiBPerSocket),
    ...row("memory per relay room, its one socket included", "KiB", (cost) => cost.roomKiB),
    ...row("CPU with all of them idle", "cores", (cost) => cost.idle.cores)
  ]
}

/** What each further room without code takes. */
const relayRoomKiB = (service: BenchService, rooms: number, from: () => string): Promise<number> =>
  roomKiB(service, rooms, (room) =>
    joinRoom(service.relay, {
      schema: signal,
      room: `signal-${room}`,
      player: "player",
      from: from()
    })
  )

/** What each further room of a shared process takes, a part of that process included. */
const sharedRoomKiB = (service: BenchService, rooms: number, from: () => string): Promise<number> =>
  roomKiB(service, rooms, (room) =>
    joinRoom(service, {
      schema: sharedLounge,
      room: `shared-${room}`,
      player: "player",
      from: from()
    })
  )

/** What each further room takes, with one client in it. */
const roomKiB = async (
  server: Server,
  rooms: number,
  join: (room: number) => Promise<Seat>
): Promise<number> => {
  const half = Math.ceil(rooms / 2)
  await eachOf(upTo(half), joinsAtOnce, join)
  await untilQuiet(server.pid, quiet)
  const before = treePssKiBOf(server.pid)
  await eachOf(upTo(half), joinsAtOnce, (room) => join(half + room))
  await untilQuiet(server.pid, quiet)
  return (treePssKiBOf(server.pid) - before) / half
}

/** Joins all sockets, and looks at what the later ones have added and at what all do in peace. */
const idle = async (
  server: Server,
  size: Pick<IdleCostSize, "firstSockets" | "sockets" | "idleSeconds">,
  join: (index: number) => Promise<Seat>
): Promise<Idle> => {
  const seats = [...(await eachOf(upTo(size.firstSockets), joinsAtOnce, join))]
  await untilQuiet(server.pid, quiet)
  const before = pssByRoleOf(server.pid)
  const more = size.sockets - size.firstSockets
  seats.push(...(await eachOf(upTo(more), joinsAtOnce, (index) => join(size.firstSockets + index))))
  await untilQuiet(server.pid, quiet)
  const after = pssByRoleOf(server.pid)
  const kiBByRole: ByRole = {
    service: (after.service - before.service) / more,
    rooms: (after.rooms - before.rooms) / more,
    database: (after.database - before.database) / more
  }
  const kiBPerSocket = kiBByRole.service + kiBByRole.rooms + kiBByRole.database
  const cpuBefore = cpuSecondsOf(server.pid)
  const startedAtMs = performance.now()
  await sleep(size.idleSeconds * 1000)
  const seconds = (performance.now() - startedAtMs) / 1000
  const cores = (cpuSecondsOf(server.pid) - cpuBefore) / seconds
  return { kiBPerSocket, kiBByRole, cores, seats }
}

/** Rooms that were awake once: half of them before the measurement, so that the heap has grown. */
const sleepingCost = async (
  service: BenchService,
  size: IdleCostSize,
  join: (room: number) => Promise<Seat>
): Promise<Sleeping> => {
  const half = Math.ceil(size.sleepingRooms / 2)
  const putToSleep = async (rooms: ReadonlyArray<number>): Promise<boolean> => {
    for (const room of rooms) (await join(room)).socket.leave()
    const asleep = await isAsleep(service)
    await untilQuiet(service.pid, quiet)
    return asleep
  }
  const first = await putToSleep(upTo(half))
  const before = { kiB: treePssKiBOf(service.pid), processes: roomProcessesOf(service.pid).length }
  const second = await putToSleep(upTo(half).map((room) => half + room))
  const processes = roomProcessesOf(service.pid).length - before.processes
  return {
    kiBPerRoom: (treePssKiBOf(service.pid) - before.kiB) / half,
    processesPerRoom: Math.max(0, processes) / half,
    faults: first && second ? [] : ["rooms without clients do not sleep"]
  }
}

/** The mean over the rooms; a spare process has no code and is smaller than all of them. */
const awakeRoomKiB = (service: BenchService, rooms: number): number =>
  roomProcessesOf(service.pid)
    .map(pssKiBOf)
    .toSorted((one, other) => other - one)
    .slice(0, rooms)
    .reduce((sum, each) => sum + each, 0) / rooms
