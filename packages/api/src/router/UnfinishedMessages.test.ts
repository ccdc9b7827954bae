import { ConnectionLimits } from "@atrium/domain/connections/ConnectionLimits"
import { FrameLimits } from "@atrium/wire/frames/FrameLimits"
import fc from "fast-check"
import { expect, test } from "vitest"

import { type Unfinished, UnfinishedMessages } from "./UnfinishedMessages.ts"

/** A connection that holds what it is told to, and goes when it has been ended. */
class Holder implements Unfinished {
  readonly from: string
  unfinishedBytes = 0
  ended = 0
  readonly #all: UnfinishedMessages

  constructor(all: UnfinishedMessages, from: string) {
    this.from = from
    this.#all = all
    all.add(this)
  }

  sends(bytes: number): void {
    this.unfinishedBytes += bytes + ConnectionLimits.chunkBytes.max
    this.#all.came(bytes)
  }

  closes(): void {
    this.unfinishedBytes = 0
    this.#all.gone(this)
  }

  holdsMost(): void {
    this.ended++
    if (this.ended > 1) this.closes()
  }
}

const chunk = ConnectionLimits.chunkBytes.max

test("[C-187] at the bound nobody is ended; a byte more ends the largest of the address with the most", () => {
  const all = new UnfinishedMessages(1000 * chunk)
  const honest = new Holder(all, "honest")
  const [small, large] = [new Holder(all, "crowd"), new Holder(all, "crowd")]
  honest.sends(299 * chunk)
  small.sends(199 * chunk)
  large.sends(249 * chunk)
  small.sends(49 * chunk)
  large.sends(199 * chunk)
  const holders = [honest, small, large]
  expect(holders.map(({ unfinishedBytes }) => unfinishedBytes / chunk)).toEqual([300, 250, 450])
  expect(holders.map(({ ended }) => ended)).toEqual([0, 0, 0])
  // The largest message of all is the honest one's neighbour's, and who holds the most is the crowd.
  honest.sends(1)
  expect(holders.map(({ ended }) => ended)).toEqual([0, 0, 1])
})

test("[C-187] a client with a large message stays while a crowd of another address holds more", () => {
  const all = new UnfinishedMessages(1000 * chunk)
  const honest = new Holder(all, "honest")
  honest.sends(399 * chunk)
  const crowd = Array.from({ length: 700 }, () => new Holder(all, "crowd"))
  for (const each of crowd) each.sends(1)
  expect(honest.ended).toBe(0)
  expect(crowd.filter(({ ended }) => ended > 0).length).toBeGreaterThan(90)
})

test("[C-187] connections that were not ended hold at most the bound and a step, after any input", () => {
  const max = 64 * 1024
  const step = fc.record({
    who: fc.nat(7),
    does: fc.constantFrom("send", "send", "send", "finish", "go"),
    bytes: fc.integer({ min: 1, max: 4096 })
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const all = new UnfinishedMessages(max)
      const holders = Array.from({ length: 8 }, (_, at) => new Holder(all, `address ${at % 3}`))
      for (const { who, does, bytes } of steps) {
        const holder = holders[who]
        if (holder === undefined || holder.ended > 0) continue
        if (does === "send") holder.sends(bytes)
        if (does === "finish") holder.unfinishedBytes = 0
        if (does === "go") holder.closes()
        const stay = holders.filter(({ ended }) => ended === 0)
        const held = stay.reduce((sum, { unfinishedBytes }) => sum + unfinishedBytes, 0)
        expect(held).toBeLessThanOrEqual(max + max / 64 + 4096 + chunk)
      }
    })
  )
})

test("[C-187] cuts off a closed connection at once when the sum is over again", () => {
  const all = new UnfinishedMessages(100 * chunk)
  const holder = new Holder(all, "one")
  holder.sends(100 * chunk)
  expect(holder.ended).toBe(1)
  holder.sends(chunk)
  expect([holder.ended, holder.unfinishedBytes]).toEqual([2, 0])
})

test("[C-187] the row leaves room for 128 messages of the size that is allowed", () => {
  expect(ConnectionLimits.clientsHeldAllBytes.max / FrameLimits.frameBytes.max).toBe(128)
})
