import { relay } from "@atrium/api/testing/load/rooms/BenchSchemas"
import { joinRoom } from "@atrium/api/testing/load/RoomSeat"
import { projectOfBench } from "@atrium/api/testing/load/Servers"
import { holderFirst, shareShards, startRunner } from "@atrium/api/testing/Runners"
import { makeHome, type RunningService } from "@atrium/api/testing/RunningService"
import { expect, it } from "vitest"

import { codedDialect } from "./FanOut.ts"
import { FanOutLoad, type FanOutRound } from "./FanOutLoad.ts"
import { cpuSecondsOf } from "./ProcessCost.ts"

/** Enough for CPU to count, and little enough that frames wait for nothing but their way. */
const sizes = {
  busy: { rooms: 4, clientsPerRoom: 16, perSecond: 20, seconds: 4, rounds: 5 },
  quiet: { rooms: 1, clientsPerRoom: 2, perSecond: 50, seconds: 2, rounds: 9 }
}
type Pace = keyof typeof sizes

interface Round extends FanOutRound {
  /** Of both runners. */
  readonly cpuMicrosPerDelivery: number
}

const portOf = ({ url }: RunningService): number => Number(new URL(url).port)

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN

interface Joins {
  readonly owner: RunningService
  readonly entry: RunningService
  join(on: RunningService, room: string, hear: () => void): ReturnType<typeof joinRoom>
}

/**
 * How much longer the median join takes at the runner that does not have the room, in milliseconds: into a room with
 * clients of that runner. The first of them has to find the room.
 */
const slowerJoins = async (
  rooms: { readonly direct: string; readonly forwarded: string },
  { owner, entry, join }: Joins
): Promise<number> => {
  const spans = {
    direct: [] as Array<number>,
    found: [] as Array<number>,
    known: [] as Array<number>
  }
  for (let each = 0; each < 15; each++) {
    for (const [kind, on, room] of [
      ["direct", owner, rooms.direct],
      ["found", entry, rooms.direct],
      ["known", entry, rooms.forwarded]
    ] as const) {
      const { socket, answeredAfterMs } = await join(on, room, () => undefined)
      spans[kind].push(answeredAfterMs)
      socket.cut()
    }
  }
  const [direct, found, known] = [median(spans.direct), median(spans.found), median(spans.known)]
  process.stderr.write(
    `joins p50: direct ${direct.toFixed(2)} ms, the first of a runner ${found.toFixed(2)} ms, ` +
      `later ones ${known.toFixed(2)} ms\n`
  )
  return known - direct
}

it("[C-410] forwarding costs at most a millisecond at p50, and 1.5 times the CPU of a local delivery", async () => {
  const home = await makeHome()
  try {
    const runners = [await startRunner(home), await startRunner(home)] as const
    await shareShards(runners)
    const place = await projectOfBench(runners[0], "BenchRooms.ts")
    let players = 0
    const join = (on: RunningService, room: string, hear: ReturnType<FanOutLoad["hear"]>) =>
      joinRoom(
        { ...place, pid: on.pid, port: portOf(on) },
        { schema: relay, room, player: `p${players++}`, from: "127.0.0.1", hear }
      )
    const first = await join(runners[0], "where", () => undefined)
    const [owner] = await holderFirst(runners)
    const entry = owner === runners[0] ? runners[1] : runners[0]
    first.socket.cut()

    const fill = async (pace: Pace, side: string, on: RunningService): Promise<FanOutLoad> => {
      const { rooms, clientsPerRoom } = sizes[pace]
      const load = new FanOutLoad(on.pid, codedDialect(), rooms)
      for (let room = 0; room < rooms; room++) {
        for (let client = 0; client < clientsPerRoom; client++) {
          const joined = await join(on, `${pace}-${side}-${room}`, load.hear(room))
          load.add(room, joined.socket)
        }
      }
      return load
    }
    const cpu = (): number => cpuSecondsOf(owner.pid) + cpuSecondsOf(entry.pid)
    const measured = async (pace: Pace) => {
      const { rounds: count, perSecond, seconds } = sizes[pace]
      const loads = {
        direct: await fill(pace, "direct", owner),
        forwarded: await fill(pace, "forwarded", entry)
      }
      const rounds: Record<keyof typeof loads, Array<Round>> = { direct: [], forwarded: [] }
      for (let round = 0; round < count; round++) {
        for (const side of ["direct", "forwarded"] as const) {
          const before = cpu()
          const figures = await loads[side].steady(perSecond, seconds)
          expect(figures.heard).toBe(figures.expected)
          const cpuMicrosPerDelivery = ((cpu() - before) * 1e6) / figures.heard
          rounds[side].push({ ...figures, cpuMicrosPerDelivery })
        }
      }
      return rounds
    }
    const quiet = await measured("quiet")
    const busy = await measured("busy")
    const of = (rounds: ReadonlyArray<Round>, figure: keyof Round): number =>
      median(rounds.map((round) => round[figure]))
    const hop = median(
      quiet.forwarded.map(({ p50Ms }, at) => p50Ms - (quiet.direct[at]?.p50Ms ?? 0))
    )
    const ratio = median(
      busy.forwarded.map(
        ({ cpuMicrosPerDelivery }, at) =>
          cpuMicrosPerDelivery / (busy.direct[at]?.cpuMicrosPerDelivery ?? 0)
      )
    )
    const quietRooms = { direct: "quiet-direct-0", forwarded: "quiet-forwarded-0" }
    for (const side of ["direct", "forwarded"] as const) {
      const delays = `p50 ${of(quiet[side], "p50Ms").toFixed(2)} ms, p99 ${of(quiet[side], "p99Ms").toFixed(2)} ms`
      const cost = `${of(busy[side], "cpuMicrosPerDelivery").toFixed(2)} µs of CPU per delivery`
      process.stderr.write(`${side}: ${delays}; busy: ${cost}\n`)
    }
    process.stderr.write(`hop p50 ${hop.toFixed(2)} ms, CPU ratio ${ratio.toFixed(2)}\n`)
    expect(await slowerJoins(quietRooms, { owner, entry, join })).toBeLessThan(1)
    expect(hop).toBeLessThan(1)
    expect(ratio).toBeLessThan(1.5)
  } finally {
    await home.remove()
  }
})
