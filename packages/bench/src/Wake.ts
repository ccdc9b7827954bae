import { cellar, cellarBytes } from "@atrium/api/testing/load/rooms/BenchSchemas"
import { joinRoom, type Seat } from "@atrium/api/testing/load/RoomSeat"
import { isAsleep } from "@atrium/api/testing/load/Servers"
import { median, percentile } from "@atrium/api/testing/load/Statistics"
import { eachOf, upTo } from "@atrium/api/testing/load/Tasks"

import type { Bench } from "./Bench.ts"
import { atMost, type Figure, type Measured } from "./Figure.ts"
import { untilQuiet } from "./ProcessCost.ts"
import { type SnapshotSize, snapshots } from "./Snapshots.ts"

export interface WakeSize extends SnapshotSize {
  /** Rooms that are made, put to sleep, and woken one after another, each so many times. */
  readonly sleepers: number
  readonly wakes: number
}

/** W5: how long a sleeping room with 64 KB of state keeps a client waiting, and how fast states are stored. */
export const wake = async (bench: Bench, size: WakeSize): Promise<Measured> => {
  const service = await bench.servers.service()
  bench.progress(`W5: ${size.sleepers} rooms are made and sleep`)
  const faults: Array<string> = []
  const enter = (room: number): Promise<Seat> =>
    joinRoom(service, {
      ...{ schema: cellar, room: `cellar-${room}`, player: "player" },
      from: bench.servers.addresses.next()
    })
  const visit = async (room: number, again?: Array<Seat>): Promise<Seat> => {
    const seat = await enter(room)
    const other = again === undefined ? null : await enter(room)
    if (other !== null) again?.push(other)
    if (seat.stateBytes < cellarBytes) faults.push(`room ${room} woke without its state`)
    seat.socket.leave()
    other?.socket.leave()
    if (!(await isAsleep(service))) faults.push(`room ${room} does not sleep`)
    // The next spare process is made in the background: this measures a wake with one that waits.
    if (!(await untilQuiet(service.pid))) faults.push("the service does not come to rest")
    return seat
  }
  await eachOf(upTo(size.sleepers), 1, (room) => visit(room))
  const woken: Array<Seat> = []
  const awake: Array<Seat> = []
  for (let round = 1; round <= size.wakes; round++) {
    bench.progress(`W5: wake ${round} of ${size.wakes} of each room`)
    woken.push(...(await eachOf(upTo(size.sleepers), 1, (room) => visit(room, awake))))
  }
  const stored = await snapshots(bench, service, size)
  return {
    workload: "W5",
    figures: [...wakeFigures(woken, awake), ...stored.figures],
    faults: [...faults, ...stored.faults],
    notes: [
      `${woken.length} wakes of ${size.sleepers} rooms with ${cellarBytes} random bytes, a spare process waiting`,
      ...stored.notes
    ]
  }
}

const wakeFigures = (
  woken: ReadonlyArray<Seat>,
  awake: ReadonlyArray<Seat>
): ReadonlyArray<Figure> => {
  const connected = woken.map((seat) => seat.joinedAfterMs)
  const answered = woken.map((seat) => seat.answeredAfterMs)
  const there = median(awake.map((seat) => seat.joinedAfterMs))
  const row = (name: string, value: number, goal: Figure["goal"] = null): Figure => ({
    ...{ name, value, unit: "ms", raw: null, goal }
  })
  return [
    row("wake: connect to welcome, p50", median(connected), atMost(5, "value")),
    row("wake: connect to welcome, p99", percentile(connected, 0.99), atMost(15, "value")),
    row("wake: hello to welcome, p50", median(answered)),
    row("wake: hello to welcome, p99", percentile(answered, 0.99)),
    row("joining the same room awake, p50", there)
  ]
}
