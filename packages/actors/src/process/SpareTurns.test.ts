import { Reports } from "@atrium/runtime/host/RoomReports"
import { joinOf } from "@atrium/runtime/testing/TestOrders"
import { describe, expect, test } from "vitest"

import { SpareTurns } from "./SpareTurns.ts"
import { silentSpare } from "./testing/SilentSpare.ts"
import { scriptOf, startOf, TestListener } from "./TestProcesses.ts"

describe("the next spare process", () => {
  test("[C-924] comes at once when nobody waits, and after the welcome when somebody does", () => {
    const turns = new SpareTurns()
    expect([false, true, true, false].map((waits) => turns.isDue(waits))).toEqual([
      true,
      false,
      false,
      true
    ])
  })

  test("[C-924] comes after ten polls where rooms start all the time, and the next one after ten more", () => {
    const turns = new SpareTurns()
    const due = Array.from({ length: 22 }, () => turns.isDue(true))
    expect(due.flatMap((is, poll) => (is ? [poll] : []))).toEqual([10, 21])
  })
})

describe("a room that somebody waits for", () => {
  const welcome = { sessionId: "s1", resumed: false, tick: 0, state: new Uint8Array([1]) }

  test("[C-924] is one from its claim to its first welcome; later clients do not count", () => {
    const { host, says } = silentSpare()
    expect(host.welcomes).toBe(false)
    host.claim(new TestListener().listener)
    expect(host.welcomes).toBe(true)
    host.start(startOf(scriptOf("")))
    says(Reports.ready())
    host.join(joinOf(1))
    for (let polls = 0; polls < 3; polls++) host.poll(false)
    expect(host.welcomes).toBe(true)
    says(Reports.joined(1, welcome))
    expect(host.welcomes).toBe(false)
    host.join(joinOf(2))
    expect(host.welcomes).toBe(false)
  })

  test("[C-924] is one for two polls where nobody joins, and none when it has ended", () => {
    const { host, says } = silentSpare()
    host.claim(new TestListener().listener)
    host.start(startOf(scriptOf("")))
    says(Reports.ready())
    host.poll(false)
    expect(host.welcomes).toBe(true)
    host.poll(false)
    expect(host.welcomes).toBe(false)
    const { host: ended } = silentSpare()
    ended.claim(new TestListener().listener)
    ended.kill("stopped")
    expect(ended.welcomes).toBe(false)
  })
})
