import { bodies, hall, sharedHall } from "@atrium/api/testing/load/rooms/BenchSchemas"
import { joinRaw, joinRoom, type Seat } from "@atrium/api/testing/load/RoomSeat"
import type { Server } from "@atrium/api/testing/load/RoomSeat"
import { type BenchService, emptied } from "@atrium/api/testing/load/Servers"
import { median } from "@atrium/api/testing/load/Statistics"
import { eachOf, sleep, upTo } from "@atrium/api/testing/load/Tasks"

import type { Bench } from "./Bench.ts"
import { atMost, besideWs, type Figure, type Goal, type Measured } from "./Figure.ts"
import { manyRooms, type ManyRoomsSize } from "./ManyRooms.ts"
import type { Peer } from "./peers/Peer.ts"
import { besidePeers, noPeerRounds, type PeerRounds } from "./peers/PeerFigures.ts"
import { cpuSecondsOf, untilQuiet } from "./ProcessCost.ts"

export interface JoinsSize {
  readonly rounds: number
  /** Rooms that are new in each round. */
  readonly newRooms: number
  readonly sequentialJoins: number
  readonly hotJoins: number
  readonly stormRooms: number
  readonly stormClients: number
  readonly manyRooms: ManyRoomsSize
}

/** Joins one after another, as the sequential workload asks; a few at once where clients stay. */
const joinsAtOnce = 4

interface JoinRound {
  readonly newRooms: Joined
  /** Rooms that share a process; those of the others, where there is no such thing. */
  readonly newShared: Joined
  readonly sequential: Joined
  readonly hot: Joined
  readonly storm: Joined
}

interface Joined {
  readonly cpuMsPerJoin: number
  readonly p50Ms: number
  /** From the first connection to the last state. */
  readonly allWithinMs: number
}

/** A server that is joined, and what its rooms are called. */
interface Side {
  readonly server: Server
  join(room: string, player: number, resume?: string): Promise<Seat>
  /** Joins a room that shares its process; absent = there are none. */
  joinShared?(room: string): Promise<Seat>
  /** Resolves when the server has seen that all are gone. */
  emptied(): Promise<void>
}

/** W3: what it costs until a client has its first full state. */
export const joins = async (bench: Bench, size: JoinsSize): Promise<Measured> => {
  const { servers } = bench
  const [service, raw] = [await bench.service(), await servers.raw()]
  const faults: Array<string> = []
  const parts: SideParts = {
    from: () => servers.addresses.next(),
    fault: (fault) => void faults.push(fault)
  }
  const rounds = { raw: new Array<JoinRound>(), atrium: new Array<JoinRound>() }
  const peers = noPeerRounds<JoinRound>(await bench.peers())
  const turns = [
    { name: "raw", side: rawSide(raw, parts), of: rounds.raw },
    { name: "atrium", side: serviceSide(service, parts), of: rounds.atrium },
    ...peers.map(({ peer, rounds: of }) => ({ name: peer.name, side: peerSide(peer, parts), of }))
  ]
  for (let round = 1; round <= size.rounds; round++) {
    for (const { name, side, of } of turns) {
      bench.progress(`W3: round ${round} of ${size.rounds}, ${name}`)
      const done = await joinRound(side, size, round)
      of.push(done)
      faults.push(...done.faults.map((fault) => `${name}: ${fault}`))
    }
  }
  const many = await manyRooms(bench, size.manyRooms)
  return {
    workload: "W3",
    figures: [...figuresOf(rounds), ...many.figures, ...peerFigures(rounds.atrium, peers)],
    faults: [...faults, ...many.faults],
    notes: [
      `a state of ${bodies} bodies × 4 float32; per round ${size.newRooms} new rooms, ` +
        `${size.sequentialJoins} joins one after another, ${size.hotJoins} into one room, a storm of ` +
        `${size.stormClients} sessions in ${size.stormRooms} rooms; rounds: ${size.rounds}`,
      "a new room with code is a new process: its CPU is counted with the join that asks for it",
      ...many.notes
    ]
  }
}

interface SideParts {
  from(): string
  fault(fault: string): void
}

const checked = async (joining: Promise<Seat>, { fault }: SideParts): Promise<Seat> => {
  const seat = await joining
  if (seat.stateBytes < bodies * 4 * 4) fault("a first state was not whole")
  return seat
}

const rawSide = (raw: Server, parts: SideParts): Side => ({
  server: raw,
  join: (room) => checked(joinRaw(raw, { path: `/join/${room}`, from: parts.from() }), parts),
  emptied: () => sleep(0)
})

const serviceSide = (service: BenchService, parts: SideParts): Side => ({
  server: service,
  joinShared: (room) =>
    checked(
      joinRoom(service, { schema: sharedHall, room, player: "player-0", from: parts.from() }),
      parts
    ),
  join: (room, player, resume) =>
    checked(
      joinRoom(service, {
        schema: hall,
        room,
        player: `player-${player}`,
        from: parts.from(),
        ...(resume === undefined ? {} : { resume })
      }),
      parts
    ),
  emptied: async () => {
    if (!(await emptied(service))) parts.fault("the service does not see that clients left")
  }
})

const peerSide = (peer: Peer, parts: SideParts): Side => ({
  server: peer,
  join: (room, _, resume) => {
    const again = resume === undefined ? {} : { resume }
    return checked(peer.join({ kind: "hall", room, from: parts.from(), ...again }), parts)
  },
  emptied: () => sleep(0)
})

const figuresOf = (
  rounds: Readonly<Record<"raw" | "atrium", ReadonlyArray<JoinRound>>>
): ReadonlyArray<Figure> => {
  const row = (
    name: string,
    pick: (round: JoinRound) => number,
    goal: Goal | null = null
  ): Figure => ({
    name,
    unit: "ms",
    rounds: rounds.atrium.map(pick),
    reference: besideWs(rounds.raw.map(pick)),
    goal
  })
  return [
    row("sequential, rooms awake: CPU/join", (r) => r.sequential.cpuMsPerJoin, atMost(3, "ratio")),
    row("sequential, rooms awake: p50", (r) => r.sequential.p50Ms),
    row("sequential, new rooms: CPU/join", (r) => r.newRooms.cpuMsPerJoin, atMost(60, "value")),
    row("sequential, new rooms: p50", (r) => r.newRooms.p50Ms),
    row(
      "sequential, new rooms that share a process: CPU/join",
      (r) => r.newShared.cpuMsPerJoin,
      atMost(6, "ratio")
    ),
    row("sequential, new rooms that share a process: p50", (r) => r.newShared.p50Ms),
    row("one hot room: CPU/join", (r) => r.hot.cpuMsPerJoin, atMost(2.5, "ratio")),
    row("storm: CPU/join", (r) => r.storm.cpuMsPerJoin, atMost(3, "ratio")),
    row("storm: all back after", (r) => r.storm.allWithinMs, atMost(2, "ratio"))
  ]
}

const peerFigures = (
  rounds: ReadonlyArray<JoinRound>,
  peers: ReadonlyArray<PeerRounds<JoinRound>>
): ReadonlyArray<Figure> => {
  const row = (name: string, pick: (round: JoinRound) => number) =>
    besidePeers({ name, unit: "ms", rounds: rounds.map(pick) }, peers, { pick })
  return [
    ...row("sequential, rooms awake: CPU/join", (r) => r.sequential.cpuMsPerJoin),
    ...row("sequential, new rooms: CPU/join", (r) => r.newRooms.cpuMsPerJoin),
    ...row("one hot room: CPU/join", (r) => r.hot.cpuMsPerJoin),
    ...row("storm: CPU/join", (r) => r.storm.cpuMsPerJoin),
    ...row("storm: all back after", (r) => r.storm.allWithinMs)
  ]
}

const joinRound = async (
  side: Side,
  size: JoinsSize,
  round: number
): Promise<JoinRound & { readonly faults: ReadonlyArray<string> }> => {
  const leaveAll = async (seats: ReadonlyArray<Seat>): Promise<void> => {
    for (const { socket } of seats) socket.leave()
    await side.emptied()
    await untilQuiet(side.server.pid)
  }
  const fresh = upTo(size.newRooms).map((room) => `new-${round}-${room}`)
  const newRooms = await measured(side, () =>
    eachOf(fresh, 1, async (room) => {
      const seat = await side.join(room, 0)
      await untilQuiet(side.server.pid)
      return seat
    })
  )
  await leaveAll(newRooms.seats)
  const newShared = await newSharedOf(side, fresh, newRooms)
  if (newShared !== newRooms) await leaveAll(newShared.seats)
  const turns = upTo(size.sequentialJoins)
  const sequential = await measured(side, () =>
    eachOf(turns, 1, (turn) => side.join(fresh[turn % fresh.length] ?? "", turn))
  )
  await leaveAll(sequential.seats)
  await leaveAll([await side.join("hot", 0)])
  const hot = await measured(side, () =>
    eachOf(upTo(size.hotJoins), joinsAtOnce, (player) => side.join("hot", player))
  )
  await leaveAll(hot.seats)
  const { storm, faults } = await stormOf(side, size)
  await leaveAll(storm.seats)
  return { newRooms, newShared, sequential, hot, storm, faults }
}

/** Their process is there: it is that of one room in twenty. */
const newSharedOf = async (
  side: Side,
  fresh: ReadonlyArray<string>,
  newRooms: Joined & { readonly seats: ReadonlyArray<Seat> }
) => {
  const { joinShared } = side
  if (joinShared === undefined) return newRooms
  const sharedIds = fresh.map((room) => `shared-${room}`)
  const first = await joinShared("shared-first")
  await untilQuiet(side.server.pid)
  const joined = await measured(side, () =>
    eachOf(sharedIds, 1, async (room) => {
      const seat = await joinShared(room)
      await untilQuiet(side.server.pid)
      return seat
    })
  )
  return { ...joined, seats: [first, ...joined.seats] }
}

/** All clients lose their connection at once, and all come back at once. */
const stormOf = async (side: Side, size: JoinsSize) => {
  const clients = upTo(size.stormClients)
  const roomOf = (client: number): string => `storm-${client % size.stormRooms}`
  const before = await eachOf(clients, joinsAtOnce, (client) => side.join(roomOf(client), client))
  for (const { socket } of before) socket.cut()
  await side.emptied()
  await untilQuiet(side.server.pid)
  const storm = await measured(side, () =>
    eachOf(clients, clients.length, (client) =>
      side.join(roomOf(client), client, before[client]?.session.resume)
    )
  )
  const others = storm.seats.filter(
    (seat, client) => seat.session.id !== before[client]?.session.id
  ).length
  return { storm, faults: others > 0 ? [`${others} clients came back as others`] : [] }
}

const measured = async (
  { server }: Side,
  join: () => Promise<ReadonlyArray<Seat>>
): Promise<Joined & { readonly seats: ReadonlyArray<Seat> }> => {
  const cpuBefore = cpuSecondsOf(server.pid)
  const startedAtMs = performance.now()
  const seats = await join()
  const allWithinMs = performance.now() - startedAtMs
  const cpuMs = (cpuSecondsOf(server.pid) - cpuBefore) * 1000
  return {
    cpuMsPerJoin: cpuMs / seats.length,
    p50Ms: median(seats.map((seat) => seat.joinedAfterMs)),
    allWithinMs,
    seats
  }
}
