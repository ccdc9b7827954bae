import { busyCellar, cellarBytes } from "@atrium/api/testing/load/rooms/BenchSchemas"
import { joinRoom } from "@atrium/api/testing/load/RoomSeat"
import type { BenchService, HelperChild } from "@atrium/api/testing/load/Servers"
import { eachOf, upTo } from "@atrium/api/testing/load/Tasks"
import { webSocketFrame } from "@atrium/api/testing/WebSocketBytes"
import { ClientFrame, ServerFrame } from "@atrium/wire/frames/Frame"
import { pack, unpack } from "msgpackr"

import type { Bench } from "./Bench.ts"
import { atLeast, type Figure, type Measured } from "./Figure.ts"

export interface SnapshotSize {
  /** Rooms that store at once: so few that none waits for another, and so many as keep PostgreSQL busy. */
  readonly fewWriters: number
  readonly writers: number
  readonly rounds: number
  readonly seconds: number
}

const answerWithinMs = 10_000

/** A client whose room stores its state again and again. */
class Storer {
  stored = 0
  failed = 0
  #answered: (ok: boolean) => void = () => undefined
  #calls = 0
  send: (frame: Buffer) => void = () => undefined

  readonly hear = (bytes: Buffer, start: number, end: number): void => {
    if (bytes[start + 1] !== ServerFrame.rpcResult) return
    const [, , ok]: ReadonlyArray<unknown> = unpack(bytes.subarray(start, end))
    this.#answered(ok === true)
  }

  /** One call after another for so long. */
  async run(seconds: number): Promise<void> {
    const endsAtMs = performance.now() + seconds * 1000
    while (performance.now() < endsAtMs && this.failed === 0) {
      if (await this.#store()) this.stored++
      else this.failed++
    }
  }

  /** `store` is RPC 0 and has no arguments. */
  #store(): Promise<boolean> {
    return new Promise((resolve) => {
      // A guard against a hang, in the way of no answer: a call without one counts as failed.
      const deadline = setTimeout(() => resolve(false), answerWithinMs)
      this.#answered = (ok) => {
        clearTimeout(deadline)
        resolve(ok)
      }
      this.send(webSocketFrame(pack([ClientFrame.rpc, ++this.#calls, 0, null])))
    })
  }
}

interface Stored {
  readonly atrium: Array<number>
  readonly raw: Array<number>
}

interface Storing {
  readonly bench: Bench
  readonly service: BenchService
  readonly postgres: HelperChild
}

/** States of 64 KB stored per second with a generation each, beside a bare upsert of the same. */
export const snapshots = async (
  storing: Storing,
  size: SnapshotSize
): Promise<Omit<Measured, "workload">> => {
  const { bench, service } = storing
  const enter = (rooms: ReadonlyArray<number>) =>
    eachOf(rooms, roomsAtOnce, async (room) => {
      const storer = new Storer()
      const seat = await joinRoom(service, {
        schema: busyCellar,
        room: `busy-${room}`,
        player: "player",
        from: bench.servers.addresses.next(),
        hear: storer.hear
      })
      storer.send = (frame) => seat.socket.send(frame)
      return storer
    })
  const few = await enter(upTo(size.fewWriters))
  const ofFew = await rounds(storing, few, size)
  const more = await enter(upTo(size.writers - few.length).map((room) => few.length + room))
  const all = [...few, ...more]
  const ofAll = await rounds(storing, all, size)
  const failed = all.reduce((sum, storer) => sum + storer.failed, 0)
  return {
    figures: [
      snapshotFigure(
        "snapshots with generation",
        ofFew,
        `a room stores ten times a second, so ${few.length} rooms store ${10 * few.length} times`
      ),
      {
        ...snapshotFigure(`snapshots with generation, ${all.length} rooms`, ofAll, null),
        goal: atLeast(0.6, "ratio")
      }
    ],
    faults: failed === 0 ? [] : [`${failed} states could not be stored`],
    notes: [
      `snapshots: ${few.length} and ${all.length} rooms at once; the reference is one upsert of both rows`
    ]
  }
}

const roomsAtOnce = 2

const snapshotFigure = (
  name: string,
  { atrium, raw }: Stored,
  weakness: string | null
): Figure => ({
  name,
  unit: "/s",
  rounds: atrium,
  reference: { name: "PostgreSQL: one upsert", rounds: raw, weakness },
  goal: null
})

/** The reference and the service in turns, with as many writers each. */
const rounds = async (
  { bench, postgres }: Storing,
  storers: ReadonlyArray<Storer>,
  size: SnapshotSize
): Promise<Stored> => {
  const rates: Stored = { atrium: [], raw: [] }
  const { seconds } = size
  for (let round = 1; round <= size.rounds; round++) {
    bench.progress(`W5: snapshots of ${storers.length} rooms, round ${round} of ${size.rounds}`)
    const rawAtMs = performance.now()
    postgres.write(`upsert ${storers.length} ${seconds} ${cellarBytes}`)
    const stored = Number(await postgres.line())
    const atriumAtMs = performance.now()
    rates.raw.push((stored * 1000) / (atriumAtMs - rawAtMs))
    const before = storedOf(storers)
    await Promise.all(storers.map((storer) => storer.run(seconds)))
    rates.atrium.push(((storedOf(storers) - before) * 1000) / (performance.now() - atriumAtMs))
  }
  return rates
}

const storedOf = (storers: ReadonlyArray<Storer>): number =>
  storers.reduce((sum, storer) => sum + storer.stored, 0)
