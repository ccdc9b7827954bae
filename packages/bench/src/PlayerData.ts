import { clerk } from "@atrium/api/testing/load/rooms/BenchSchemas"
import { type BenchService, type HelperChild, isAsleep } from "@atrium/api/testing/load/Servers"
import { upTo } from "@atrium/api/testing/load/Tasks"
import { Client, type ClientRoom } from "@atrium/sdk/client"

import type { Bench } from "./Bench.ts"
import { atMost, type Figure, type Goal, type Measured, type Reference } from "./Figure.ts"
import { declareBoard, playerWaits } from "./PlayerWaits.ts"
import { cpuByRoleOf, cpuSecondsOf, untilQuiet } from "./ProcessCost.ts"
import { databaseOf } from "./ServiceDatabase.ts"

export interface PlayerDataSize {
  /** Rooms that work at the same time, and as many connections of the reference. */
  readonly rooms: number
  /** Of each room in a turn, one after another: no more than a new room may make at once. */
  readonly calls: number
  /** What a client waits for, so often in a round. */
  readonly waits: number
  readonly rounds: number
}

/** One kind of work, under the name that the room type `clerk` and `PlayerReferenceChild.ts` know. */
interface Work {
  readonly name: string
  readonly says: string
  /** How many times the reference's time and CPU; `null` = what is measured is the in-room call itself. */
  readonly atMost: number | null
}

/** All that W7 measures: a line for each part of players' data. */
const works: ReadonlyArray<Work> = [
  { name: "report", says: "ratings: report of 4 players", atMost: 5 },
  { name: "ratings", says: "ratings: read of 4 players", atMost: null },
  { name: "kvSet", says: "KV: set", atMost: null },
  { name: "kvGet", says: "KV: get", atMost: null },
  { name: "submit", says: "boards: submit", atMost: null }
]

/** Calls of a new room that are not measured: its process compiles what they run. */
const firstCalls = 10

/** So many calls one after another, in each of so many lanes at once. No two turns have the same number. */
interface Turn {
  readonly work: string
  readonly lanes: number
  readonly calls: number
  readonly turn: number
}

/** One that does the work: the service, or the reference. */
interface Side {
  /** Brings up what the turn needs. @returns what does the turn */
  prepare(turn: Turn): Promise<() => Promise<void>>
  cpuSeconds(): number
  /** All that a turn left behind is done. */
  rest(): Promise<void>
}

/** What one side took in one round. */
interface Taken {
  /** Of a call that is alone. */
  readonly ms: number
  /** Of a call, while all lanes work. */
  readonly cpuMs: number
  readonly perSecond: number
}

/** W7: what is kept of players, beside the plainest program that does it with the same PostgreSQL. */
export const playerData = async (bench: Bench, size: PlayerDataSize): Promise<Measured> => {
  const service = await bench.service()
  const reference = bench.servers.child(import.meta.resolve("./PlayerReferenceChild.ts"), [
    databaseOf(service)
  ])
  await reference.line()
  await declareBoard(service)
  const sides = { raw: referenceSide(service, reference), atrium: roomSide(service) }
  const figures: Array<Figure> = []
  for (const { name: work, says, atMost: limit } of works) {
    const taken: Record<keyof typeof sides, Array<Taken>> = { raw: [], atrium: [] }
    for (let round = 0; round <= size.rounds; round++) {
      bench.progress(`W7: ${says}, round ${round} of ${size.rounds}`)
      for (const side of ["raw", "atrium"] as const) {
        const one = await takenBy(sides[side], { work, ...size, round })
        // The first ones warm the code up, and make the rows.
        if (round > 0) taken[side].push(one)
      }
    }
    const goal = limit === null ? null : atMost(limit, "ratio")
    figures.push(...figuresOf({ says, goal }, taken))
  }
  figures.push(...(await playerWaits({ bench, service, reference }, size)))
  return {
    workload: "W7",
    figures,
    faults: [],
    notes: [
      `${size.rooms} rooms with ${size.calls} calls each, and as many connections of the reference; ` +
        `rounds: ${size.rounds}`,
      "the reference is pg in one process: it keeps no ids of reports, and has no rooms and no limits"
    ]
  }
}

const takenBy = async (
  side: Side,
  { work, rooms, calls, round }: PlayerDataSize & { readonly work: string; readonly round: number }
): Promise<Taken> => {
  const alone = await timed(side, { work, lanes: 1, calls, turn: 2 * round })
  const together = await timed(side, { work, lanes: rooms, calls, turn: 2 * round + 1 })
  return {
    ms: alone.ms / calls,
    cpuMs: together.cpuMs / (rooms * calls),
    perSecond: (rooms * calls * 1000) / together.ms
  }
}

const timed = async (side: Side, turn: Turn) => {
  const run = await side.prepare(turn)
  const [cpuSeconds, startedAtMs] = [side.cpuSeconds(), performance.now()]
  await run()
  const ms = performance.now() - startedAtMs
  const cpuMs = (side.cpuSeconds() - cpuSeconds) * 1000
  await side.rest()
  return { ms, cpuMs }
}

const referenceSide = (service: BenchService, reference: HelperChild): Side => ({
  prepare: async ({ work, lanes, calls, turn }) => {
    return async () => {
      reference.write(`${work} ${lanes} ${calls} ${turn}`)
      demandAll("the reference", Number(await reference.line()), lanes * calls)
    }
  },
  // PostgreSQL works for it as a part of the service's tree.
  cpuSeconds: () => cpuSecondsOf(reference.pid) + cpuByRoleOf(service.pid).database,
  rest: async () => void (await untilQuiet(service.pid))
})

/** Rooms whose code makes in-room calls. Each turn has new rooms, as what one may call has a rate. */
const roomSide = (service: BenchService): Side => {
  let rooms: ReadonlyArray<ClientRoom<typeof clerk>> = []
  return {
    prepare: async ({ work, lanes, calls, turn }) => {
      const { project } = service
      const client = new Client(service.url, { project, token: service.credential("clerk") })
      const enter = (lane: number) =>
        client.joinOrCreate(clerk, { roomId: `clerk-${work}-${turn}-${lane}` })
      rooms = await Promise.all(upTo(lanes).map(enter))
      const ask = async (amount: number, from: number): Promise<void> => {
        const asked = rooms.map((room, lane) =>
          room.request("work", { work, calls: amount, from: (turn * 100 + lane) * 100 + from })
        )
        const done = (await Promise.all(asked)).reduce((sum, each) => sum + each.done, 0)
        demandAll("the rooms", done, lanes * amount)
      }
      await ask(firstCalls, 0)
      await untilQuiet(service.pid)
      return () => ask(calls, firstCalls)
    },
    cpuSeconds: () => cpuSecondsOf(service.pid),
    rest: async () => {
      await Promise.all(rooms.map((room) => room.leave()))
      if (!(await isAsleep(service))) throw new Error("rooms without clients do not sleep")
      await untilQuiet(service.pid)
    }
  }
}

const demandAll = (who: string, done: number, wanted: number): void => {
  if (done !== wanted) throw new Error(`${who} did ${done} of ${wanted} calls`)
}

const figuresOf = (
  { says, goal }: { readonly says: string; readonly goal: Goal | null },
  { raw, atrium }: Readonly<Record<"raw" | "atrium", ReadonlyArray<Taken>>>
): ReadonlyArray<Figure> => {
  const row = (what: string, unit: string, pick: (taken: Taken) => number): Figure => ({
    name: `${says}, ${what}`,
    unit,
    rounds: atrium.map(pick),
    reference: beside(raw.map(pick)),
    goal: null
  })
  return [
    { ...row("alone", "ms", ({ ms }) => ms), goal },
    { ...row("CPU", "ms", ({ cpuMs }) => cpuMs), goal },
    row("all at once", "/s", ({ perSecond }) => perSecond)
  ]
}

const beside = (rounds: ReadonlyArray<number>): Reference => ({
  name: "plain pg",
  rounds,
  weakness: null
})
