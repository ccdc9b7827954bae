import { until } from "@atrium/domain/testing/Until"
import { describe, expect, it } from "vitest"

import { controlOf } from "../testing/ControlUnderTest.ts"
import { RawClient } from "../testing/RawClient.ts"
import { roomsOf } from "../testing/RoomsUnderTest.ts"
import { call } from "../testing/RunningService.ts"
import { sharedService } from "../testing/ServiceUnderTest.ts"

const service = sharedService("controlled")
const control = controlOf(service)
const rooms = () => roomsOf(service)
const dayMs = 86_400_000

const advance = async (ms: number): Promise<void> => {
  expect((await control.ask("clock/advance", { ms })).status).toBe(200)
}
const nowMs = async (): Promise<number> => Number((await control.ask("clock/now")).body["nowMs"])

const addressOf = (roomId: string): string =>
  `${service.url.replace("http", "ws")}/v1/rooms/${service.project}/${roomId}`
const sockets = async (): Promise<number> =>
  Number((await control.ask("metrics/read", { project: service.project })).body["sockets"])
/** How often its alarm has rung, as somebody new sees it. */
const alarms = async (roomId: string): Promise<number> => {
  const room = await rooms().join(roomId)
  const rung = room.state.counter.alarms
  await room.leave()
  return rung
}

/** The work stands still but for what is advanced. */
const whileHeld = async (work: () => Promise<void>): Promise<void> => {
  expect((await control.ask("clock/hold", { held: true })).body).toMatchObject({ held: true })
  try {
    await work()
  } finally {
    expect((await control.ask("clock/hold", { held: false })).body).toMatchObject({ held: false })
  }
}

describe("a clock that is held", () => {
  it("[C-84] an empty room sleeps when its span has passed, not before; a stored alarm wakes it", () =>
    whileHeld(async () => {
      const room = await rooms().join("sleeper")
      await room.request("alarmIn", { ms: 3_600_000 })
      await room.leave()
      await until("it is empty", async () => (await sockets()) === 0)
      await advance(299)
      expect(await rooms().status("sleeper")).toBe("awake")
      await advance(1)
      expect(await rooms().status("sleeper")).toBe("hibernated")
      await advance(3_600_000)
      await until("the alarm rang", async () => (await alarms("sleeper")) === 1)
    }))

  it("[C-84] a session is kept for its span, and lapses with it", () =>
    whileHeld(async () => {
      // The room starts while time stands: for it too.
      const keeper = await rooms().join("sessions")
      const client = new RawClient(addressOf("sessions"))
      const identity = await call(service.url, "/v1/identity", {
        body: { project: service.project }
      })
      await client.hello(String(identity.body["token"]), "probe")
      await until("both are in", () => [...keeper.state.marks].length === 2)
      client.cut()
      await until("it is gone", async () => (await sockets()) === 1)
      // The room answers after it has heard of the lost client, so the span of that session has begun.
      expect(await keeper.request("add", { by: 1 })).toEqual({ value: 1 })
      await advance(4_999)
      expect(await keeper.request("add", { by: 1 })).toEqual({ value: 2 })
      expect([...keeper.state.marks]).toHaveLength(2)
      await advance(1)
      await until("the session has lapsed", () => [...keeper.state.marks].length === 1)
      await keeper.leave()
    }))
})

describe("a clock that jumps", () => {
  it("[C-84] a hundred days end no connection, no room and no question that are under way", async () => {
    const from = service.output().length
    const room = await rooms().join("through")
    await room.request("add", { by: 1 })
    const before = await nowMs()
    await advance(100 * dayMs)
    expect((await nowMs()) - before).toBeGreaterThanOrEqual(100 * dayMs)
    expect(room.connected).toBe(true)
    expect(await room.request("add", { by: 1 })).toEqual({ value: 2 })
    expect(await rooms().status("through")).toBe("awake")
    expect(room.state.counter.starts).toBe(1)
    expect(service.output().slice(from)).not.toMatch(/level=(?:ERROR|WARN)|does not answer/i)
    await room.leave()
  })

  it("[C-84] an awake room sees the moved clock: its alarm rings", async () => {
    const room = await rooms().join("ringing")
    await room.request("alarmIn", { ms: dayMs })
    await advance(dayMs - 60_000)
    expect(room.state.counter.alarms).toBe(0)
    await advance(60_000)
    await until("the alarm rang", () => room.state.counter.alarms === 1)
    await room.leave()
  })
})
