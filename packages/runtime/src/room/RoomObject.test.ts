import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"
import { TextLimits } from "@atrium/wire/text/TextLimits"
import { describe, expect, test } from "vitest"

import { Orders } from "../host/HostOrders.ts"
import { live } from "../testing/TestArena.ts"
import { StartOfRoom } from "../testing/TestOrders.ts"

describe("alarms", () => {
  test("[state.room.delete-asleep.alarms] fire at their time, once, earliest first", () => {
    const fired: string[] = []
    const { room, it } = live({}, { onAlarm: (_, name) => void fired.push(name) })
    it.after("b", 200)
    it.alarm.set("a", it.clock.nowMs() + 100)
    it.after("c", 300)
    expect(it.alarm.clear("c")).toBe(true)
    expect(it.alarm.clear("c")).toBe(false)
    expect(room.reports()).toMatchObject([["alarms", [{ name: "a" }, { name: "b" }]]])
    room.port.pass(99)
    expect(fired).toEqual([])
    room.port.pass(1)
    expect(fired).toEqual(["a"])
    room.port.pass(10_000)
    expect(fired).toEqual(["a", "b"])
    expect(room.reports().at(-1)).toEqual(["alarms", []])
  })

  test("[D-49] wait while the service's clock stands, and fire when it is moved to their time", () => {
    const fired: string[] = []
    const { room, it } = live({}, { onAlarm: (_, name) => void fired.push(name) })
    const nowMs = it.clock.nowMs()
    it.after("a", 1000)
    room.reports()
    room.order(Orders.clock(nowMs, false))
    room.port.pass(5000)
    expect([fired, it.clock.nowMs()]).toEqual([[], nowMs])
    room.order(Orders.clock(nowMs + 999, false))
    room.port.pass(5000)
    expect(fired).toEqual([])
    room.order(Orders.clock(nowMs + 1000, false))
    room.port.pass(0)
    expect(fired).toEqual(["a"])
    it.after("b", 10)
    room.order(Orders.clock(nowMs + 1000, true))
    room.port.pass(9)
    expect(fired).toEqual(["a"])
    room.port.pass(1)
    expect(fired).toEqual(["a", "b"])
  })

  test("[D-49] of a room that starts while the clock stands wait until it is moved", () => {
    const fired: string[] = []
    const { room, it } = live({ clockRuns: false }, { onAlarm: (_, name) => void fired.push(name) })
    it.after("a", 1000)
    room.reports()
    room.port.pass(5000)
    expect([fired, it.clock.nowMs()]).toEqual([[], StartOfRoom.nowMs])
    room.order(Orders.clock(StartOfRoom.nowMs + 1000, false))
    room.port.pass(0)
    expect(fired).toEqual(["a"])
  })

  test("[D-48] alarms that the service kept fire after a start, also those that are late", () => {
    const fired: string[] = []
    const alarms = [
      { name: "late", atMs: StartOfRoom.nowMs - 5000 },
      { name: "soon", atMs: StartOfRoom.nowMs + 40 }
    ]
    const { room } = live({ alarms }, { onAlarm: (_, name) => void fired.push(name) })
    room.port.pass(0)
    expect(fired).toEqual(["late"])
    room.port.pass(40)
    expect(fired).toEqual(["late", "soon"])
  })

  test("[D-48] an alarm far away fires at its time: timers of Node hold 24.8 days", () => {
    const fired: string[] = []
    const { room, it } = live({}, { onAlarm: (_, name) => void fired.push(name) })
    const farMs = 60 * 24 * 3_600_000
    it.after("far", farMs)
    room.port.pass(farMs - 1)
    expect(fired).toEqual([])
    room.port.pass(1)
    expect(fired).toEqual(["far"])
  })

  test("[C-950] an alarm that repeats keeps its row of times, over a sleep and when it is set again", () => {
    const fired: string[] = []
    const onAlarm = (_: unknown, name: string): void => void fired.push(name)
    const { room, it } = live({ keepsPeriods: true }, { onAlarm })
    it.every("wave", 1000)
    room.port.pass(2500)
    it.every("wave", 1000)
    expect(fired).toEqual(["wave", "wave"])
    const wave = { name: "wave", atMs: StartOfRoom.nowMs + 3000, everyMs: 1000 }
    expect(room.reports().findLast(([report]) => report === "alarms")).toEqual(["alarms", [wave]])

    const nowMs = StartOfRoom.nowMs + 7300
    const { room: woken, it: later } = live(
      { alarms: [wave], nowMs, keepsPeriods: true },
      { onAlarm }
    )
    woken.port.pass(0)
    expect(fired).toHaveLength(3)
    woken.port.pass(699)
    expect(fired).toHaveLength(3)
    woken.port.pass(1)
    expect(fired).toHaveLength(4)
    later.after("wave", 5000)
    woken.port.pass(4999)
    expect(fired).toHaveLength(4)
    woken.port.pass(10_000)
    expect(fired).toHaveLength(5)
  })

  test("[C-950] an alarm that repeats throws where the service is too old to keep it", () => {
    const { room, it } = live()
    expect(() => it.every("wave", 1000)).toThrow("alarm wave: this service is too old")
    expect(room.reports()).toEqual([])
  })

  test("[C-950] a period below the least throws, and the least does not", () => {
    const { it } = live({ keepsPeriods: true })
    for (const ms of [RuntimeLimits.alarmEvery.ms - 1, -1, Number.NaN])
      expect(() => it.every("x", ms)).toThrow(`alarm x: every ${ms} ms is not at least 100 ms`)
    expect(() => it.every("x", Infinity)).toThrow("alarm x: Infinity is not a time")
    it.every("x", RuntimeLimits.alarmEvery.ms)
  })

  test("[D-48] setting an alarm past a limit throws, and at the limit it does not", () => {
    const { it } = live()
    it.after("n".repeat(RuntimeLimits.alarmNameBytes.max), 1e6)
    expect(() => it.after("n".repeat(RuntimeLimits.alarmNameBytes.max + 1), 1)).toThrow(RangeError)
    expect(() => it.after("", 1)).toThrow(RangeError)
    expect(() => it.alarm.set("x", Number.NaN)).toThrow("alarm x: NaN is not a time")
    for (let at = 1; at < RuntimeLimits.alarms.max; at++) it.after(`a${at}`, 1e6)
    expect(() => it.after("more", 1e6)).toThrow("64 are set already")
    it.after("a1", 2e6)
  })
})

describe("the room's surroundings", () => {
  test("[D-14] pings are answered, and a weighing tells what lives", () => {
    const { room } = live()
    room.order(Orders.ping(4))
    room.order(Orders.weigh(5))
    expect(room.reports()).toEqual([
      ["pong", 4, null],
      ["weighed", 5, 12_345]
    ])
  })

  test("[limits.log.line] a log line is cut, and half a character is not left over", () => {
    const { room, it } = live()
    it.log.warn("a", 1)
    it.log.error(`${"x".repeat(TextLimits.logLineUnits.max - 1)}😀`)
    const [short, long] = room.logged()
    expect(short).toEqual(["log", "warn", "a 1"])
    // One unit earlier than the limit, as the character would be split there (T-47).
    expect(long?.[2]).toBe("x".repeat(TextLimits.logLineUnits.max - 1))
  })

  test("[D-14] the lobby takes booleans only", () => {
    const { room, it } = live()
    it.lobby.setStarted(true)
    expect(room.reports()).toEqual([["lobby", { started: true }]])
    expect(() => it.lobby.setPublic("yes" as never)).toThrow(TypeError)
  })

  test("[C-563] metadata of the lobby is JSON of at most a kibibyte, told when it changes", () => {
    const { room, it } = live({ lobbyMetadata: null })
    const most = "x".repeat(RuntimeLimits.lobbyMetadataBytes.max - 2)
    for (const value of [null, { map: "ice" }, { map: "ice" }, most, null]) {
      it.lobby.setMetadata(value)
    }
    expect(room.reports()).toEqual([
      ["lobby", { metadata: '{"map":"ice"}' }],
      ["lobby", { metadata: JSON.stringify(most) }],
      ["lobby", { metadata: null }]
    ])
    expect(() => it.lobby.setMetadata(`${most}x`)).toThrow(
      "lobby.setMetadata: 1025 bytes of JSON, at most 1024"
    )
    expect(() => it.lobby.setMetadata(undefined)).toThrow("lobby.setMetadata: undefined is no JSON")
    const round: Record<string, unknown> = {}
    round["round"] = round
    expect(() => it.lobby.setMetadata(round)).toThrow(TypeError)
    expect(room.reports()).toEqual([])
  })

  test("[C-563] metadata is not told to a service that cannot read it", () => {
    const { room, it } = live()
    it.lobby.setMetadata({ map: "ice" })
    expect(room.reports()).toEqual([])
  })

  test("[D-14] clients are iterated as they were, also when they are let go meanwhile", () => {
    const { room, it } = live()
    for (const ref of [1, 2, 3]) room.joined(ref)
    const ids: string[] = []
    for (const client of it.clients) {
      ids.push(client.id)
      client.leave()
    }
    expect([ids, it.clients.size, it.clients.has("s1")]).toEqual([["s1", "s2", "s3"], 0, false])
  })

  test("[D-14] random.int is a whole number below its bound, and refuses others", () => {
    const { it } = live()
    const counts = [0, 0, 0]
    for (let round = 0; round < 3000; round++) {
      const value = it.random.int(3)
      counts[value] = (counts[value] ?? 0) + 1
    }
    expect(counts.every((count) => count > 850)).toBe(true)
    expect(it.random.int(1)).toBe(0)
    for (const wrong of [0, 1.5, 2 ** 32 + 1, Number.NaN]) {
      expect(() => it.random.int(wrong)).toThrow(RangeError)
    }
  })
})
