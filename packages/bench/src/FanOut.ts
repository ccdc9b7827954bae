import { StampedFrame } from "@atrium/api/testing/load/LeanSocket"
import { relay, sharedRelay } from "@atrium/api/testing/load/rooms/BenchSchemas"
import { signal } from "@atrium/api/testing/load/rooms/RelaySchema"
import {
  joinRaw,
  joinRoom,
  type JoinPlace,
  type Seat,
  type Server
} from "@atrium/api/testing/load/RoomSeat"
import type { BenchService } from "@atrium/api/testing/load/Servers"
import { eachOf, upTo } from "@atrium/api/testing/load/Tasks"
import type { AnyRoomSchema } from "@atrium/sdk/schema"
import { ClientFrame, ServerFrame } from "@atrium/wire/frames/Frame"
import { pack } from "msgpackr"

import type { Bench } from "./Bench.ts"
import { type Dialect, FanOutLoad, type FanOutRound } from "./FanOutLoad.ts"
import {
  faultsOf,
  fullFigures,
  halfFigures,
  isLate,
  apartFigures,
  loadCoresOf,
  noRounds,
  type Pace,
  type Rounds,
  saturatedFigures,
  type Side
} from "./FanOutRounds.ts"
import type { Measured } from "./Figure.ts"
import { type LimitCost, limitCost } from "./LimitCost.ts"
import { PeerFanOut } from "./peers/PeerFanOut.ts"
import { cpuByRoleOf, formatShares } from "./ProcessCost.ts"

export interface FanOutSize {
  readonly rooms: number
  readonly clientsPerRoom: number
  /** Messages of each client at full pace. */
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

export const codedDialect = (): Dialect => {
  const record = Buffer.alloc(1 + messageBytes)
  record[0] = messageBytes
  return {
    frame: new StampedFrame(pack([ClientFrame.msg, 0, record]), payloadAt),
    stampAt: payloadAt,
    secondByte: ServerFrame.msg
  }
}

/** `[10, nil, bin]`, which arrives as `[27, clientId, bin]` with an id of 16 characters. */
const relayDialect = (): Dialect => ({
  frame: new StampedFrame(pack([ClientFrame.send, null, Buffer.alloc(messageBytes)]), 5),
  stampAt: 21,
  secondByte: ServerFrame.sent
})

const rawDialect = (): Dialect => ({
  frame: new StampedFrame(Buffer.alloc(messageBytes), 0),
  stampAt: 0,
  secondByte: null
})

/** The programs that take part in a pace, in the order of a round. */
const sidesOf: Readonly<Record<Pace, ReadonlyArray<Side>>> = {
  half: ["raw", "relay", "rooms", "shared"],
  full: ["raw", "relay", "rooms", "shared", "relayUnwaited", "roomsUnwaited"],
  saturated: ["raw", "relay", "rooms", "shared"]
}

type Loads = Readonly<Record<Side, FanOutLoad>>

/** W1: rooms full of clients, each of which sends to all others of its room. */
export const fanOut = async (bench: Bench, size: FanOutSize): Promise<Measured> => {
  const service = await bench.service()
  const servers = {
    service,
    unwaited: await bench.service({ ATRIUM_SEND_WINDOWS: "off" }),
    raw: await bench.servers.raw()
  }
  const loads = await fill(bench, servers, size)
  const peers = await PeerFanOut.fill(bench, size)
  const rounds: Readonly<Record<Pace, Rounds>> = {
    half: noRounds(),
    full: noRounds(),
    saturated: noRounds()
  }
  let shares = ""
  for (let round = 1; round <= size.rounds; round++) {
    bench.progress(`W1: round ${round} of ${size.rounds}`)
    for (const pace of ["half", "full", "saturated"] as const) {
      const before = cpuByRoleOf(service.pid)
      for (const side of sidesOf[pace]) {
        rounds[pace][side].push(await roundOf(loads[side], pace, size))
      }
      if (pace === "full") shares = formatShares(before, cpuByRoleOf(service.pid))
      await peers.round(pace, (load) => roundOf(load, pace, size))
    }
  }
  const strangers = Object.values(loads).reduce((sum, load) => sum + load.strangers, 0)
  const cost = limitCost()
  return {
    workload: "W1",
    figures: [
      ...fullFigures(rounds.full),
      ...halfFigures(rounds.half),
      ...saturatedFigures(rounds.saturated),
      ...apartFigures(rounds.full, { cost, receivers: size.clientsPerRoom - 1 }),
      ...peers.figures(rounds)
    ],
    faults: [
      ...Object.values(rounds).flatMap(faultsOf),
      ...(strangers > 0 ? [`${strangers} frames were no deliveries`] : []),
      ...peers.faults
    ],
    notes: notesOf(size, { rounds, cost, shares })
  }
}

const roundOf = (load: FanOutLoad, pace: Pace, size: FanOutSize): Promise<FanOutRound> => {
  const { perSecond, seconds, messagesUnderWay, saturatedSeconds } = size
  switch (pace) {
    case "half":
      return load.steady(perSecond / 2, seconds)
    case "full":
      return load.steady(perSecond, seconds)
    case "saturated":
      return load.saturated(messagesUnderWay, saturatedSeconds)
  }
}

/** Joins all clients of all sides. */
const fill = async (
  bench: Bench,
  servers: {
    readonly service: BenchService
    readonly unwaited: BenchService
    readonly raw: Server
  },
  size: FanOutSize
): Promise<Loads> => {
  const { addresses } = bench.servers
  const places = upTo(size.rooms * size.clientsPerRoom).map((index) => index % size.rooms)
  const enter = async (
    load: FanOutLoad,
    join: (room: number, index: number) => Promise<Seat>
  ): Promise<FanOutLoad> => {
    const seats = await eachOf(places, joinsAtOnce, join)
    for (const [index, { socket }] of seats.entries()) load.add(places[index] ?? 0, socket)
    return load
  }
  const ofService = (
    place: JoinPlace,
    { schema, dialect }: { readonly schema: AnyRoomSchema; readonly dialect: Dialect }
  ): Promise<FanOutLoad> => {
    const load = new FanOutLoad(place.pid, dialect, size.rooms)
    return enter(load, (room, index) =>
      joinRoom(place, {
        schema,
        room: `${schema.type}-${room}`,
        player: `player-${index}`,
        from: addresses.next(),
        hear: load.hear(room)
      })
    )
  }
  const coded = { schema: relay, dialect: codedDialect() }
  const uncoded = { schema: signal, dialect: relayDialect() }
  bench.progress(`W1: ${places.length} clients join ${size.rooms} rooms of each kind`)
  const raw = new FanOutLoad(servers.raw.pid, rawDialect(), size.rooms)
  return {
    raw: await enter(raw, (room) =>
      joinRaw(servers.raw, {
        path: `/relay/${room}`,
        from: addresses.next(),
        hear: raw.hear(room)
      })
    ),
    rooms: await ofService(servers.service, coded),
    shared: await ofService(servers.service, { ...coded, schema: sharedRelay }),
    relay: await ofService(servers.service.relay, uncoded),
    roomsUnwaited: await ofService(servers.unwaited, coded),
    relayUnwaited: await ofService(servers.unwaited.relay, uncoded)
  }
}

const notesOf = (
  size: FanOutSize,
  of: {
    readonly rounds: Readonly<Record<Pace, Rounds>>
    readonly cost: LimitCost
    readonly shares: string
  }
): ReadonlyArray<string> => {
  const perSecond = size.rooms * size.clientsPerRoom * (size.clientsPerRoom - 1) * size.perSecond
  const text = (count: number): string => count.toLocaleString("en-US")
  const { full, saturated } = of.rounds
  return [
    `${size.rooms} rooms × ${size.clientsPerRoom} clients × ${size.perSecond} messages/s of ` +
      `${messageBytes} bytes to the others: ${text(perSecond)} deliveries/s, ` +
      `${text(perSecond / 2)} at half load; rounds: ${size.rounds}`,
    `CPU of the service in the last round: ${of.shares}`,
    `limits, measured apart: ${of.cost.perFrameNs.toFixed(0)} ns for each frame that comes, ` +
      `${of.cost.perDeliveryNs.toFixed(0)} ns for each that goes; ` +
      `meters: ${of.cost.perDeliveryMeteredNs.toFixed(1)} ns for each that goes`,
    `saturated: ${size.messagesUnderWay} messages of each room under way, at most 220/s per client`,
    `cores that the load took (atrium, raw): ${loadCoresOf(full)}; saturated ${loadCoresOf(saturated)}`,
    ...(isLate(full.rooms) ? ["the service fell behind the full load"] : [])
  ]
}
