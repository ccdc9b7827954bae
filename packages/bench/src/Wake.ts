import { cellar, cellarBytes } from "@atrium/api/testing/load/rooms/BenchSchemas"
import { joinRoom, type Seat } from "@atrium/api/testing/load/RoomSeat"
import { type BenchService, type HelperChild, isAsleep } from "@atrium/api/testing/load/Servers"
import { median, percentile } from "@atrium/api/testing/load/Statistics"
import { eachOf, upTo, within } from "@atrium/api/testing/load/Tasks"
import { roomProcessesOf } from "@atrium/api/testing/ProcessTree"

import type { Bench } from "./Bench.ts"
import { atMost, type Figure, type Measured, type Reference } from "./Figure.ts"
import { untilQuiet } from "./ProcessCost.ts"
import { databaseOf } from "./ServiceDatabase.ts"
import { type SnapshotSize, snapshots } from "./Snapshots.ts"

export interface WakeSize {
  /** Rooms that are made, put to sleep, and woken one after another. */
  readonly sleepers: number
  /** How often each of them wakes in a round. */
  readonly wakes: number
  readonly rounds: number
  readonly snapshots: SnapshotSize
}

/** One wake, and what PostgreSQL by itself took right after it. */
interface Woken {
  readonly seat: Seat
  readonly readMs: number
  readonly commitMs: number
  /** A second client joined the room, which was awake by then. */
  readonly awakeMs: number
}

interface WakeRun {
  readonly bench: Bench
  readonly service: BenchService
  readonly postgres: HelperChild
  readonly faults: Array<string>
}

/** W5: how long a sleeping room with 64 KB of state keeps a client waiting, and how fast states are stored. */
export const wake = async (bench: Bench, size: WakeSize): Promise<Measured> => {
  const service = await bench.service()
  const postgres = bench.servers.child(import.meta.resolve("./PostgresReferenceChild.ts"), [
    databaseOf(service)
  ])
  await postgres.line()
  const faults: Array<string> = []
  const run: WakeRun = { bench, service, postgres, faults }
  bench.progress(`W5: ${size.sleepers} rooms are made and sleep`)
  await sleepAgain(run, await eachOf(upTo(size.sleepers), 1, (room) => enter(run, room)))
  const rounds: Array<ReadonlyArray<Woken>> = []
  for (let round = 1; round <= size.rounds; round++) {
    bench.progress(`W5: wakes, round ${round} of ${size.rounds}`)
    const woken: Array<Woken> = []
    for (let turn = 0; turn < size.wakes; turn++) woken.push(...(await wakeAll(run, size.sleepers)))
    rounds.push(woken)
  }
  const stored = await snapshots({ bench, service, postgres }, size.snapshots)
  return {
    workload: "W5",
    figures: [...wakeFigures(rounds), ...stored.figures],
    faults: [...faults, ...stored.faults],
    notes: [
      `${rounds.flat().length} wakes of ${size.sleepers} rooms with ${cellarBytes} random bytes, a ` +
        `spare process waiting; rounds: ${size.rounds}`,
      "the reference is one read of that state, and one commit of one row, right after each wake",
      ...stored.notes
    ]
  }
}

const enter = ({ bench, service }: WakeRun, room: number): Promise<Seat> =>
  joinRoom(service, {
    schema: cellar,
    room: roomName(room),
    player: "player",
    from: bench.servers.addresses.next()
  })

const roomName = (room: number): string => `cellar-${room}`

/** Wakes all rooms one after another, each with a spare process waiting, and lets all of them sleep. */
const wakeAll = async (run: WakeRun, rooms: number): Promise<ReadonlyArray<Woken>> => {
  const seats: Array<Seat> = []
  const woken = await eachOf(upTo(rooms), 1, async (room) => {
    const seat = await enter(run, room)
    if (seat.stateBytes < cellarBytes) run.faults.push(`room ${room} woke without its state`)
    const bare = await bareWork(run, room)
    const second = await enter(run, room)
    seats.push(seat, second)
    await untilSpares(run, room + 1)
    return { seat, ...bare, awakeMs: second.joinedAfterMs }
  })
  await sleepAgain(run, seats)
  return woken
}

/** What a wake asks of PostgreSQL at least. */
const bareWork = async ({ postgres, service, faults }: WakeRun, room: number) => {
  // The first deployment's version, as the store writes it.
  postgres.write(`read rooms/${service.project}/${roomName(room)}/snapshot/0000000001`)
  const [readMs = Number.NaN, bytes = 0] = (await postgres.line()).split(" ").map(Number)
  if (bytes < cellarBytes) faults.push(`the reference read ${bytes} bytes of room ${room}`)
  postgres.write("commit")
  return { readMs, commitMs: Number(await postgres.line()) }
}

const sleepAgain = async (run: WakeRun, seats: ReadonlyArray<Seat>): Promise<void> => {
  for (const { socket } of seats) socket.leave()
  if (!(await isAsleep(run.service))) run.faults.push("rooms without clients do not sleep")
  await untilSpares(run, 0)
}

const lookEveryMs = 20
const sparesWithinMs = 10_000
/** One that has run the code of these rooms, and one without code. */
const spares = 2

/** The next spare process is made in the background: this measures a wake with one that waits. */
const untilSpares = async ({ service: { pid }, faults }: WakeRun, awake: number): Promise<void> => {
  const isEnough = (): boolean => roomProcessesOf(pid).length >= awake + spares
  if (
    (await within(sparesWithinMs, isEnough, lookEveryMs)) &&
    (await untilQuiet(pid, { lookEveryMs }))
  )
    return
  faults.push("the service does not come to rest")
}

const wakeFigures = (rounds: ReadonlyArray<ReadonlyArray<Woken>>): ReadonlyArray<Figure> => {
  const p50s = (pick: (woken: Woken) => number): ReadonlyArray<number> =>
    rounds.map((round) => median(round.map(pick)))
  const p99 = (pick: (woken: Woken) => number): ReadonlyArray<number> => [
    percentile(rounds.flat().map(pick), 0.99)
  ]
  const read = (of: ReadonlyArray<number>): Reference => ({
    name: "PostgreSQL: one read",
    rounds: of,
    weakness: null
  })
  const commit = (of: ReadonlyArray<number>): Reference => ({
    name: "PostgreSQL: one commit",
    rounds: of,
    weakness: null
  })
  const connected = ({ seat }: Woken): number => seat.joinedAfterMs
  const answered = ({ seat }: Woken): number => seat.answeredAfterMs
  const readMs = (woken: Woken): number => woken.readMs
  const commitMs = (woken: Woken): number => woken.commitMs
  const row = (
    name: string,
    each: ReadonlyArray<number>,
    beside: Pick<Figure, "reference" | "goal"> = { reference: null, goal: null }
  ): Figure => ({ name, unit: "ms", rounds: each, ...beside })
  return [
    row("wake: connect to welcome, p50", p50s(connected), {
      reference: read(p50s(readMs)),
      goal: atMost(4, "ratio")
    }),
    row("wake: connect to welcome, p99", p99(connected), {
      reference: commit(p99(commitMs)),
      goal: atMost(3, "ratio")
    }),
    row("wake: hello to welcome, p50", p50s(answered)),
    row("wake: hello to welcome, p99", p99(answered)),
    row(
      "joining the same room awake, p50",
      p50s((woken) => woken.awakeMs)
    ),
    row("PostgreSQL alone: one commit, p50", p50s(commitMs)),
    row("PostgreSQL alone: one read, p99", p99(readMs))
  ]
}
