import { CloseCodes } from "@atrium/wire/frames/CloseCode"
import { describe, expect, it } from "vitest"

import { type ConnectionCount, ConnectionFigures } from "./ConnectionFigures.ts"

/** The counts that are not zero. */
const countsOf = (figures: ConnectionFigures) => ({
  joins: Object.fromEntries(
    figures.joins.map(({ outcome, read }) => [outcome, read()]).filter(([, count]) => count !== 0)
  ),
  closes: Object.fromEntries(
    figures.closes
      .map(({ code, by, read }) => [`${by} ${code}`, read()])
      .filter(([, count]) => count !== 0)
  )
})

const normal = { code: 1000, reason: "normal" }

describe("the counts of a connection", () => {
  interface Counted {
    readonly joins: object
    readonly closes: object
  }
  const cases: ReadonlyArray<readonly [string, (count: ConnectionCount) => void, Counted]> = [
    [
      "a welcome, and the client's leave after it",
      (count) => {
        count.began(1_000)
        count.welcomed(1_030)
        count.left(1000)
      },
      { joins: { welcomed: 1 }, closes: { "client 1000": 1 } }
    ],
    [
      "a second welcome, of a room that has restarted",
      (count) => {
        count.began(1_000)
        count.welcomed(1_030)
        count.welcomed(9_000)
      },
      { joins: { welcomed: 1 }, closes: {} }
    ],
    [
      "a refusal after the hello, and its close",
      (count) => {
        count.began(1_000)
        count.refused("E_ROOM_NOT_FOUND")
        count.closed({ code: 4404, reason: "E_ROOM_NOT_FOUND" })
      },
      { joins: { E_ROOM_NOT_FOUND: 1 }, closes: { "service 4404": 1 } }
    ],
    [
      "a refusal before any hello",
      (count) => {
        count.refused("E_HANDSHAKE_TIMEOUT")
        count.closed({ code: 4408, reason: "E_HANDSHAKE_TIMEOUT" })
      },
      { joins: { E_HANDSHAKE_TIMEOUT: 1 }, closes: { "service 4408": 1 } }
    ],
    [
      "a code that room code made up",
      (count) => {
        count.began(1_000)
        count.refused("E_NOT_ON_THE_LIST")
      },
      { joins: { E_JOIN_REFUSED: 1 }, closes: {} }
    ],
    [
      "a close before the welcome",
      (count) => {
        count.began(1_000)
        count.closed({ code: 1012, reason: "E_ROOM_RESTARTING" })
      },
      { joins: { E_ROOM_RESTARTING: 1 }, closes: { "service 1012": 1 } }
    ],
    [
      "a client that leaves before its welcome",
      (count) => {
        count.began(1_000)
        count.left(1006)
      },
      { joins: { left: 1 }, closes: { "client 1006": 1 } }
    ],
    [
      "a connection that never says hello",
      (count) => count.left(1005),
      { joins: {}, closes: { "client 1005": 1 } }
    ],
    [
      "a refusal that comes after the client has left",
      (count) => {
        count.left(1006)
        count.refused("E_HANDSHAKE_TIMEOUT")
      },
      { joins: {}, closes: { "client 1006": 1 } }
    ],
    [
      "a room that lets its client go",
      (count) => {
        count.began(1_000)
        count.welcomed(1_001)
        count.closed(normal)
      },
      { joins: { welcomed: 1 }, closes: { "service 1000": 1 } }
    ]
  ]
  it.each(cases)("[C-461] counts %s", (_case, act, counted) => {
    const figures = new ConnectionFigures()
    act(figures.connection())
    expect(countsOf(figures)).toEqual(counted)
  })

  it("[C-461] has the same labels whatever codes clients and rooms choose", () => {
    const figures = new ConnectionFigures()
    const before = [figures.closes.length, figures.joins.length]
    for (let code = 3000; code < 5000; code++) {
      figures.connection().left(code)
      const count = figures.connection()
      count.began(0)
      count.closed({ code, reason: `E_${code}` })
    }
    const { closes, joins } = countsOf(figures)
    expect([figures.closes.length, figures.joins.length]).toEqual(before)
    expect(closes).toMatchObject({ "client other": 2000, "service 4404": 1 })
    expect(joins).toEqual({ E_JOIN_REFUSED: 2000 })
  })

  it("[C-461] knows each close code of the service by its number", () => {
    const figures = new ConnectionFigures()
    for (const row of Object.values(CloseCodes)) {
      figures.connection().closed({ code: row.code, reason: row.name })
    }
    expect(countsOf(figures).closes).not.toHaveProperty("service other")
  })

  it("[C-461] sorts the time from a hello to its welcome into buckets, both bounds included", () => {
    const figures = new ConnectionFigures()
    for (const ms of [0, 1, 2, 20, 21, 10_000, 10_001]) {
      const count = figures.connection()
      count.began(5_000)
      count.welcomed(5_000 + ms)
    }
    const { buckets, count, sum, min, max } = figures.joinSeconds.state
    expect({ count, min, max }).toEqual({ count: 7, min: 0, max: 10.001 })
    expect(sum).toBeCloseTo(20.045)
    expect(Object.fromEntries(buckets)).toEqual({
      0.001: 2,
      0.002: 3,
      0.005: 3,
      0.01: 3,
      0.02: 4,
      0.05: 5,
      0.1: 5,
      0.2: 5,
      0.5: 5,
      1: 5,
      2: 5,
      5: 5,
      10: 6
    })
  })
})
