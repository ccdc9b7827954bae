import {
  filmedFloats,
  filmedRelay,
  filmedSquare,
  floats,
  relay,
  square
} from "@atrium/api/testing/load/rooms/BenchSchemas"
import { joinRoom } from "@atrium/api/testing/load/RoomSeat"
import { type BenchService, isAsleep } from "@atrium/api/testing/load/Servers"
import { eachOf, upTo } from "@atrium/api/testing/load/Tasks"
import type { AnyRoomSchema } from "@atrium/sdk/schema"

import type { Bench } from "./Bench.ts"
import { codedDialect } from "./FanOut.ts"
import { type Dialect, FanOutLoad, type FanOutRound } from "./FanOutLoad.ts"
import { atMost, type Figure, type Measured } from "./Figure.ts"
import { type StateSyncSize, type SyncRound, watch } from "./StateSync.ts"

interface FilmedFanOutSize {
  /** Of each kind. */
  readonly rooms: number
  readonly clientsPerRoom: number
  readonly perSecond: number
  readonly rounds: number
  readonly seconds: number
}

export interface ReplayCostSize {
  readonly fanOut: FilmedFanOutSize
  /** A round is longer than a chunk, so that the compression of one is in it. */
  readonly stateSync: StateSyncSize
}

/** A room type without replay, and the same with it. */
interface Pair<A> {
  readonly plain: A
  readonly filmed: A
}

type Rounds<Round> = Pair<Array<Round>>

/** Spec: Replay limits. */
const mostTimes = 1.03

/**
 * Two services with the same rooms. In each round one plays those that record themselves and the other one those
 * that do not, both at once, so that the machine is the same for both; in the next round they change places.
 */
type Both = readonly [BenchService, BenchService]

const placesIn = (both: Both, round: number): Pair<BenchService> => {
  const [one, other] = both
  return round % 2 === 0 ? { plain: one, filmed: other } : { plain: other, filmed: one }
}

const playRound = async <Round>(
  rounds: Rounds<Round>,
  places: Pair<BenchService>,
  play: (name: keyof Pair<unknown>, service: BenchService) => Promise<Round>
): Promise<void> => {
  const [plain, filmed] = await Promise.all([
    play("plain", places.plain),
    play("filmed", places.filmed)
  ])
  rounds.plain.push(plain)
  rounds.filmed.push(filmed)
}

const figureOf = <Round>(
  figure: { readonly name: string; readonly unit: string; pick(round: Round): number },
  { plain, filmed }: Rounds<Round>
): Figure => ({
  name: figure.name,
  unit: figure.unit,
  rounds: filmed.map(figure.pick),
  reference: { name: "the same without replay", rounds: plain.map(figure.pick), weakness: null },
  goal: atMost(mostTimes, "ratio")
})

/** W8: rooms of W1 and W2 that record themselves, beside the same that do not. */
export const replayCost = async (bench: Bench, size: ReplayCostSize): Promise<Measured> => {
  const both = await Promise.all([bench.service(), bench.service()])
  const toOthers = await filmedFanOut({ bench, both }, size.fanOut, {
    says: "to the others",
    schemas: { plain: relay, filmed: filmedRelay },
    dialect: codedDialect()
  })
  const toAll = await filmedFanOut({ bench, both }, size.fanOut, {
    says: "to everybody",
    schemas: { plain: square, filmed: filmedSquare },
    dialect: { ...codedDialect(), echoes: true }
  })
  const sync = await filmedStateSync({ bench, both }, size.stateSync)
  const { rooms, clientsPerRoom, perSecond, seconds } = size.fanOut
  return {
    workload: "W8",
    figures: [...toOthers.figures, ...toAll.figures, ...sync.figures],
    faults: [...toOthers.faults, ...toAll.faults, ...sync.faults],
    notes: [
      `W1: ${rooms} rooms of each kind × ${clientsPerRoom} clients × ${perSecond} messages/s; ` +
        `rounds of ${seconds} s: ${size.fanOut.rounds}`,
      `W2: a room of each kind, ${size.stateSync.clients} clients; ` +
        `rounds of ${size.stateSync.seconds} s: ${size.stateSync.rounds}`,
      "what is sent to the others alone is no part of a footage; what is sent to everybody is"
    ]
  }
}

interface Served {
  readonly bench: Bench
  readonly both: Both
}

type Part = Pick<Measured, "figures" | "faults">

interface FilmedRooms {
  readonly says: string
  readonly schemas: Pair<AnyRoomSchema>
  readonly dialect: Dialect
}

const cpuUsPerDelivery = ({ deliveriesPerCpuSecond }: FanOutRound): number =>
  1e6 / deliveriesPerCpuSecond

const filmedFanOut = async (
  { bench, both }: Served,
  size: FilmedFanOutSize,
  { says, schemas, dialect }: FilmedRooms
): Promise<Part> => {
  bench.progress(`W8: W1 ${says}, clients join`)
  const loads = new Map<BenchService, Pair<FanOutLoad>>()
  for (const service of both) {
    const fill = (schema: AnyRoomSchema) => filled({ bench, service }, size, { schema, dialect })
    loads.set(service, { plain: await fill(schemas.plain), filmed: await fill(schemas.filmed) })
  }
  const rounds: Rounds<FanOutRound> = { plain: [], filmed: [] }
  for (let round = 1; round <= size.rounds; round++) {
    bench.progress(`W8: W1 ${says}, round ${round} of ${size.rounds}`)
    await playRound(rounds, placesIn(both, round), (name, service) => {
      const load = loads.get(service)
      if (load === undefined) throw new Error("nobody has joined the service")
      return load[name].steady(size.perSecond, size.seconds)
    })
  }
  const lost = [...rounds.plain, ...rounds.filmed].filter((each) => each.heard !== each.expected)
  const strangers = [...loads.values()].reduce(
    (sum, { plain, filmed }) => sum + plain.strangers + filmed.strangers,
    0
  )
  const figure = { name: `W1 ${says}: CPU per delivery`, unit: "µs", pick: cpuUsPerDelivery }
  return {
    figures: [figureOf(figure, rounds)],
    faults: [
      ...lost.map(({ heard, expected }) => `${heard} of ${expected} deliveries arrived`),
      ...(strangers > 0 ? [`${strangers} frames were no deliveries`] : [])
    ]
  }
}

const joinsAtOnce = 4

const filled = async (
  { bench, service }: { readonly bench: Bench; readonly service: BenchService },
  size: FilmedFanOutSize,
  { schema, dialect }: { readonly schema: AnyRoomSchema; readonly dialect: Dialect }
): Promise<FanOutLoad> => {
  const load = new FanOutLoad(service.pid, dialect, size.rooms)
  const places = upTo(size.rooms * size.clientsPerRoom).map((index) => index % size.rooms)
  const seats = await eachOf(places, joinsAtOnce, (room, index) =>
    joinRoom(service, {
      schema,
      room: `${schema.type}-${room}`,
      player: `player-${index}`,
      from: bench.servers.addresses.next(),
      hear: load.hear(room)
    })
  )
  for (const [index, { socket }] of seats.entries()) load.add(places[index] ?? 0, socket)
  return load
}

const filmedStateSync = async ({ bench, both }: Served, size: StateSyncSize): Promise<Part> => {
  const rounds: Rounds<SyncRound> = { plain: [], filmed: [] }
  const faults: Array<string> = []
  const schemas = { plain: floats, filmed: filmedFloats }
  for (let round = 1; round <= size.rounds; round++) {
    bench.progress(`W8: W2, round ${round} of ${size.rounds}`)
    await playRound(rounds, placesIn(both, round), async (name, service) => {
      const schema = schemas[name]
      // Those of W1, whose clients stay.
      const awake = await service.gauge("atrium_rooms_awake")
      const done = await watch({ server: service, size }, (watcher, index) =>
        joinRoom(service, {
          schema,
          room: schema.type,
          player: `player-${index}`,
          from: bench.servers.addresses.next(),
          hear: watcher.hearPatch
        })
      )
      faults.push(...done.faults)
      if (!(await isAsleep(service, awake))) faults.push("a room does not sleep between two rounds")
      return done
    })
  }
  const pick = ({ cpuMsPerTick }: SyncRound): number => cpuMsPerTick
  return { figures: [figureOf({ name: "W2: CPU per tick", unit: "ms", pick }, rounds)], faults }
}
