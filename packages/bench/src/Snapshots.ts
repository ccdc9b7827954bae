import { clientFrame } from "@atrium/api/testing/load/LeanSocket"
import { busyCellar, cellarBytes } from "@atrium/api/testing/load/rooms/BenchSchemas"
import { joinRoom } from "@atrium/api/testing/load/RoomSeat"
import type { BenchService } from "@atrium/api/testing/load/Servers"
import { median } from "@atrium/api/testing/load/Statistics"
import { eachOf, upTo } from "@atrium/api/testing/load/Tasks"
import { ClientFrame, ServerFrame } from "@atrium/wire/frames/Frame"
import { pack, unpack } from "msgpackr"

import type { Bench } from "./Bench.ts"
import { atLeast, type Measured } from "./Figure.ts"
import { databaseOf } from "./ServiceDatabase.ts"

export interface SnapshotSize {
  /** Rooms that store at once. */
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
      const deadline = setTimeout(() => resolve(false), answerWithinMs)
      this.#answered = (ok) => {
        clearTimeout(deadline)
        resolve(ok)
      }
      this.send(clientFrame(pack([ClientFrame.rpc, ++this.#calls, 0, null])))
    })
  }
}

/** States of 64 KB stored per second with a generation each, beside a bare upsert of the same. */
export const snapshots = async (
  bench: Bench,
  service: BenchService,
  size: SnapshotSize
): Promise<Omit<Measured, "workload">> => {
  const reference = bench.servers.child(import.meta.resolve("./PostgresReferenceChild.ts"), [
    databaseOf(service)
  ])
  await reference.line()
  const storers = await eachOf(upTo(size.writers), 1, async (room) => {
    const storer = new Storer()
    const seat = await joinRoom(service, {
      ...{ schema: busyCellar, room: `busy-${room}`, player: "player" },
      ...{ from: bench.servers.addresses.next(), hear: storer.hear }
    })
    storer.send = (frame) => seat.socket.send(frame)
    return storer
  })
  const rates = { atrium: new Array<number>(), raw: new Array<number>() }
  for (let round = 1; round <= size.rounds; round++) {
    bench.progress(`W5: snapshots, round ${round} of ${size.rounds}`)
    const { writers, seconds } = size
    const rawAtMs = performance.now()
    reference.write(`${writers} ${seconds} ${cellarBytes}`)
    const stored = Number(await reference.line())
    const atriumAtMs = performance.now()
    rates.raw.push((stored * 1000) / (atriumAtMs - rawAtMs))
    const before = storedOf(storers)
    await Promise.all(storers.map((storer) => storer.run(seconds)))
    rates.atrium.push(((storedOf(storers) - before) * 1000) / (performance.now() - atriumAtMs))
  }
  const failed = storers.reduce((sum, storer) => sum + storer.failed, 0)
  return {
    figures: [
      {
        ...{ name: "snapshots with generation", unit: "/s", goal: atLeast(0.7, "ratio") },
        ...{ value: median(rates.atrium), raw: median(rates.raw) }
      }
    ],
    faults: failed === 0 ? [] : [`${failed} states could not be stored`],
    notes: [
      `snapshots: ${size.writers} rooms at once; the reference is one upsert of both rows per state`
    ]
  }
}

const storedOf = (storers: ReadonlyArray<Storer>): number =>
  storers.reduce((sum, storer) => sum + storer.stored, 0)
