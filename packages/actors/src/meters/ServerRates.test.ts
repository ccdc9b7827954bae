import { expect, test } from "vitest"

import { type RatedGate, ServerRates } from "./ServerRates.ts"

const perSecond = 1000

/** Rooms of servers, and looks at each second. */
const makeScene = () => {
  const rates = new ServerRates<RatedGate & { readonly name: string }>(perSecond, 0)
  let nowMs = 0
  const rooms: Array<{
    server: string
    gate: RatedGate & { name: string; egressBytes: number; droppedBytes: number }
  }> = []
  const room = (name: string, server = "s1") => {
    const gate = { name, egressBytes: 0, droppedBytes: 0, spare: null }
    rooms.push({ server, gate })
    return gate as (typeof rooms)[number]["gate"]
  }
  /** Each room sends so much, as far as it may. */
  const second = (bytes: Readonly<Record<string, number>>): ReadonlyArray<string> => {
    for (const { gate } of rooms) {
      const wanted = bytes[gate.name] ?? 0
      const sent = Math.min(wanted, gate.spare?.bytes ?? wanted)
      if (gate.spare !== null) gate.spare.bytes -= sent
      gate.egressBytes += sent
      gate.droppedBytes += wanted - sent
    }
    nowMs += 1000
    return rates.look(rooms, nowMs).map(({ name }) => name)
  }
  const seconds = (count: number, bytes: Readonly<Record<string, number>>) =>
    Array.from({ length: count }, () => second(bytes)).flat()
  return { room, seconds, rates }
}

test("[caps.dataout.sustained] [events.sustained-rate.log] the rooms of a server share its rate, and each is warned of once", () => {
  const { room, seconds } = makeScene()
  const [one, two] = [room("one"), room("two")]
  expect(seconds(10, { one: 600, two: 401 })).toEqual([])
  expect([one.droppedBytes, two.droppedBytes]).toEqual([0, 0])
  expect(seconds(1, { one: 600, two: 401 })).toEqual(["two"])
  expect([one.droppedBytes, two.droppedBytes]).toEqual([0, 1])
  expect(seconds(5, { one: 1600, two: 401 })).toEqual(["one"])
  expect(one.egressBytes + two.egressBytes).toBe(10 * 1001 + 6 * perSecond)
})

test("[caps.dataout.sustained] one server's rate is no other server's", () => {
  const { room, seconds } = makeScene()
  const [loud, quiet] = [room("loud"), room("quiet", "s2")]
  seconds(12, { loud: 5000, quiet: perSecond })
  expect(loud.droppedBytes).toBe(2 * 4000)
  expect([quiet.droppedBytes, quiet.spare]).toEqual([0, null])
})

test("[events.sustained-rate.log] a limit that has ended is warned of again when it comes back", () => {
  const { room, seconds } = makeScene()
  const one = room("one")
  expect(seconds(12, { one: 2000 })).toEqual(["one"])
  expect(seconds(1, { one: perSecond })).toEqual([])
  expect(one.spare).toBe(null)
  const dropped = one.droppedBytes
  expect(seconds(10, { one: 2000 })).toEqual([])
  expect(one.droppedBytes).toBe(dropped)
  expect(seconds(2, { one: 2000 })).toEqual(["one"])
})

test("[caps.dataout.sustained] a clock that stands still changes nothing", () => {
  const { room, seconds, rates } = makeScene()
  const one = room("one")
  seconds(10, { one: 2000 })
  const { spare } = one
  expect(rates.look([{ server: "s1", gate: one }], 10_000)).toEqual([])
  expect(one.spare).toBe(spare)
})
