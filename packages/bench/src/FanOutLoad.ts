import { type LeanSocket, type StampedFrame, stampOf } from "@atrium/api/testing/load/LeanSocket"
import type { Hear } from "@atrium/api/testing/load/RoomSeat"
import { Latencies } from "@atrium/api/testing/load/Statistics"
import { sleep, within } from "@atrium/api/testing/load/Tasks"

import { cpuSecondsOf } from "./ProcessCost.ts"

/** The figures of one round of load. */
export interface FanOutRound {
  readonly deliveriesPerCpuSecond: number
  readonly deliveriesPerSecond: number
  /** The same if all that was sent had arrived at once. */
  readonly duePerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly expected: number
  readonly heard: number
  /** Cores that this process took to make the load and to hear of it. */
  readonly loadCores: number
}

/** How a server's frames look. */
export interface Dialect {
  readonly frame: StampedFrame
  /** Where the stamp is in a frame that arrives. */
  readonly stampAt: number
  /** The second byte of every delivery; `null` = all frames are deliveries. */
  readonly secondByte: number | null
  /** The sender of a message gets it, too. */
  readonly echoes?: true
}

interface Room {
  readonly clients: Array<LeanSocket>
  sent: number
  heard: number
}

/** Time for what is under way when a round ends. */
const drainWithinMs = 10_000
/** Frames per second that a client may send without being told off, less a reserve. */
const clientFramesPerSecond = 220

/** Rooms full of clients of one server, which talk to each other in rounds. */
export class FanOutLoad {
  readonly #pid: number
  readonly #dialect: Dialect
  readonly #rooms: ReadonlyArray<Room>
  #latencies = new Latencies()
  /** Frames that are no deliveries, such as errors. */
  strangers = 0

  constructor(pid: number, dialect: Dialect, rooms: number) {
    this.#pid = pid
    this.#dialect = dialect
    this.#rooms = Array.from({ length: rooms }, () => ({ clients: [], sent: 0, heard: 0 }))
  }

  /** The function that a client of a room calls with each frame that it gets. */
  hear(room: number): Hear {
    const { stampAt, secondByte } = this.#dialect
    const place = this.#room(room)
    return (bytes, start) => {
      if (secondByte !== null && bytes[start + 1] !== secondByte) {
        this.strangers++
        return
      }
      place.heard++
      this.#latencies.add(performance.now() - stampOf(bytes, start + stampAt))
    }
  }

  add(room: number, client: LeanSocket): void {
    this.#room(room).clients.push(client)
  }

  /** Each client sends at the same rate, all of them evenly spread over the period. */
  steady(perSecond: number, seconds: number): Promise<FanOutRound> {
    const count = this.#rooms.reduce((sum, room) => sum + room.clients.length, 0)
    const everyMs = 1000 / (perSecond * count)
    return this.#round(async (startedAtMs) => {
      const total = Math.round(perSecond * seconds * count)
      for (let sent = 0; sent < total;) {
        const due = Math.min(total, Math.floor((performance.now() - startedAtMs) / everyMs))
        for (; sent < due; sent++) this.#sendInTurn(sent)
        await sleep(1)
      }
    })
  }

  /** Each room has so many messages under way at all times, as far as the limit per client lets it. */
  saturated(messagesUnderWay: number, seconds: number): Promise<FanOutRound> {
    return this.#round(async (startedAtMs) => {
      for (
        let nowMs = startedAtMs;
        nowMs < startedAtMs + seconds * 1000;
        nowMs = performance.now()
      ) {
        const allowed = ((nowMs - startedAtMs) / 1000) * clientFramesPerSecond
        for (const room of this.#rooms) {
          const receivers = this.#receiversOf(room)
          fill(room, { messagesUnderWay, allowed, receivers, dialect: this.#dialect })
        }
        await sleep(1)
      }
    })
  }

  #room(index: number): Room {
    const room = this.#rooms[index]
    if (room === undefined) throw new Error(`there is no room ${index}`)
    return room
  }

  #receiversOf({ clients }: Room): number {
    return clients.length - (this.#dialect.echoes === true ? 0 : 1)
  }

  /** Neighbours in time are clients of different rooms. */
  #sendInTurn(turn: number): void {
    const room = this.#room(turn % this.#rooms.length)
    const client = Math.floor(turn / this.#rooms.length) % room.clients.length
    room.clients[client]?.send(this.#dialect.frame.at(performance.now()))
    room.sent++
  }

  async #round(load: (startedAtMs: number) => Promise<void>): Promise<FanOutRound> {
    this.#latencies = new Latencies()
    for (const room of this.#rooms) {
      room.sent = 0
      room.heard = 0
    }
    const cpuBefore = cpuSecondsOf(this.#pid)
    const ownBefore = process.cpuUsage()
    const startedAtMs = performance.now()
    await load(startedAtMs)
    const sendingSeconds = (performance.now() - startedAtMs) / 1000
    const missing = (room: Room): number => room.sent * this.#receiversOf(room) - room.heard
    await within(drainWithinMs, () => this.#rooms.every((room) => missing(room) <= 0))
    const seconds = (performance.now() - startedAtMs) / 1000
    const cpuSeconds = cpuSecondsOf(this.#pid) - cpuBefore
    const own = process.cpuUsage(ownBefore)
    const heard = this.#rooms.reduce((sum, room) => sum + room.heard, 0)
    const expected = this.#rooms.reduce((sum, room) => sum + room.sent * this.#receiversOf(room), 0)
    return {
      deliveriesPerCpuSecond: heard / cpuSeconds,
      deliveriesPerSecond: heard / seconds,
      duePerSecond: expected / sendingSeconds,
      p50Ms: this.#latencies.at(0.5),
      p99Ms: this.#latencies.at(0.99),
      expected,
      heard,
      loadCores: (own.user + own.system) / 1e6 / seconds
    }
  }
}

interface Filling {
  readonly messagesUnderWay: number
  readonly allowed: number
  /** Of each message. */
  readonly receivers: number
  readonly dialect: Dialect
}

/** Sends from a room's clients in turn until enough is under way or nobody may send more. */
const fill = (room: Room, to: Filling): void => {
  const allowed = to.allowed * room.clients.length
  const under = Math.floor(room.heard / to.receivers) + to.messagesUnderWay
  while (room.sent < allowed && room.sent < under) {
    room.clients[room.sent % room.clients.length]?.send(to.dialect.frame.at(performance.now()))
    room.sent++
  }
}
