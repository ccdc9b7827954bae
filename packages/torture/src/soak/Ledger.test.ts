import { describe, expect, it } from "vitest"

import {
  type Attempt,
  backWithinMs,
  type Incident,
  judgeRoom,
  type Line,
  type RoomHistory,
  slackMs
} from "./Ledger.ts"

const firstBoot = 1
const secondBoot = 2

interface Told {
  readonly ticket: number
  readonly seq?: number
  readonly kind?: Attempt["kind"]
  readonly sentAtMs?: number
  /** `null` = never. */
  readonly answeredAtMs?: number | null
  readonly boot?: number
}

const attempt = (told: Told): Attempt => {
  const { ticket, seq = ticket, kind = "durable", sentAtMs = ticket * 100 } = told
  const { answeredAtMs = sentAtMs + 10, boot = firstBoot } = told
  const answer = answeredAtMs === null ? null : { atMs: answeredAtMs, boot }
  return { client: 1, seq, ticket, kind, sentAtMs, answer }
}

const lineOf = ({ client, seq, ticket, kind }: Attempt): Line => ({ client, seq, ticket, kind })

const killAt = (atMs: number): Incident => ({ kind: "kill", atMs, untilMs: atMs })

const judge = (history: Partial<RoomHistory>) =>
  judgeRoom({
    roomId: "room",
    attempts: [],
    incidents: [],
    lines: [],
    endedAtMs: 100_000,
    ...history
  })

const rulesOf = (history: Partial<RoomHistory>) => judge(history).map(({ rule }) => rule)

/** Acknowledged at 1 s by a process that answers last at `lastAtMs`; its place is taken at 60 s. */
const plainLostBefore = (lastAtMs: number): Partial<RoomHistory> => {
  const lost = attempt({ ticket: 1, kind: "plain", answeredAtMs: 1000 })
  const later = attempt({ ticket: 2, answeredAtMs: lastAtMs })
  const next = attempt({ ticket: 3, answeredAtMs: 60_000, boot: secondBoot })
  // Somebody is answered all the time, so that nobody waits for long.
  const steady = Array.from({ length: 60 }, (_, second) =>
    attempt({ ticket: 10 + second, answeredAtMs: second * 1000, boot: 99 })
  )
  const kept = [later, next, ...steady]
  return { attempts: [lost, ...kept], lines: kept.map(lineOf) }
}

describe("the ledger of a room", () => {
  it("[D-48] a room is right with every acknowledged line, with or without the others", () => {
    const attempts = [
      attempt({ ticket: 1 }),
      attempt({ ticket: 2, seq: 2, answeredAtMs: null }),
      attempt({ ticket: 3, seq: 2 }),
      attempt({ ticket: 4, kind: "message", answeredAtMs: null }),
      attempt({ ticket: 5, kind: "plain" })
    ]
    expect(judge({ attempts, lines: attempts.map(lineOf) })).toEqual([])
    const answered = attempts.filter(({ answer }) => answer !== null)
    expect(judge({ attempts, lines: answered.map(lineOf) })).toEqual([])
  })

  it("[D-48] an acknowledged durable call must be there, however young it was", () => {
    const attempts = [attempt({ ticket: 1 })]
    expect(judge({ attempts, incidents: [killAt(110)] })).toEqual([
      { rule: "lostDurable", roomId: "room", what: "durable 1 of client 1, ticket 1" }
    ])
  })

  it("[D-48] the acknowledged attempt must be there, not an earlier attempt of the same call", () => {
    const attempts = [
      attempt({ ticket: 1, seq: 1, answeredAtMs: null }),
      attempt({ ticket: 2, seq: 1 })
    ]
    expect(rulesOf({ attempts, lines: attempts.slice(0, 1).map(lineOf) })).toEqual(["lostDurable"])
  })

  it("[D-48] a line that the room holds twice is a violation", () => {
    const attempts = [attempt({ ticket: 1 })]
    expect(rulesOf({ attempts, lines: [...attempts, ...attempts].map(lineOf) })).toEqual([
      "duplicate"
    ])
  })

  it.each([
    ["another ticket", { ticket: 9 }],
    ["another number", { seq: 9 }],
    ["another kind", { kind: "plain" }],
    ["another client", { client: 9 }]
  ])("[D-48] a line that nobody asked for: %s", (_, other) => {
    const asked = attempt({ ticket: 1, answeredAtMs: null })
    const history = { attempts: [asked], lines: [{ ...lineOf(asked), ...other }], endedAtMs: 200 }
    expect(rulesOf(history)).toEqual(["phantom"])
  })

  it("[D-48] lines of one client in another order than it sent them; others may come between", () => {
    const [one, two] = [attempt({ ticket: 1 }), attempt({ ticket: 2 })]
    const other = { ...attempt({ ticket: 7 }), client: 2 }
    const attempts = [one, two, other]
    expect(judge({ attempts, lines: [one, other, two].map(lineOf) })).toEqual([])
    expect(rulesOf({ attempts, lines: [other, two, one].map(lineOf) })).toEqual(["order"])
  })

  it("[D-48] a plain call may be lost when its process was killed at most 10 s later", () => {
    const history = plainLostBefore(2000)
    const mostMs = 10_000 + slackMs
    expect(judge({ ...history, incidents: [killAt(1000 + mostMs)] })).toEqual([])
    expect(judge({ ...history, incidents: [killAt(1001 + mostMs)] })).toEqual([
      {
        rule: "lostPlain",
        roomId: "room",
        what:
          `plain 1 of client 1, ticket 1: acknowledged ${mostMs + 1} ms before the kill, ` +
          `at most ${mostMs} are lost`
      }
    ])
  })

  it("[D-48] a plain call must not be lost without a kill, nor by one of an earlier process", () => {
    const history = plainLostBefore(20_000)
    const drained: Incident = { kind: "mild", atMs: 21_000, untilMs: 21_000 }
    expect(rulesOf(history)).toEqual(["lostPlain"])
    expect(rulesOf({ ...history, incidents: [drained] })).toEqual(["lostPlain"])
    // The process still answered after the first kill, and its place was taken before the second.
    const others = [killAt(20_000 - slackMs - 1), killAt(60_001)]
    expect(rulesOf({ ...history, incidents: others })).toEqual(["lostPlain"])
  })

  it("[D-48] while the database is away nothing can be stored: older changes may be lost", () => {
    const history = plainLostBefore(2000)
    const away: Incident = { kind: "database", atMs: 5000, untilMs: 8000 }
    const killed = (atMs: number) => ({ ...history, incidents: [away, killAt(atMs)] })
    const mostMs = 10_000 + slackMs + 3000 + 10_000
    expect(judge(killed(1000 + mostMs))).toEqual([])
    expect(rulesOf(killed(1001 + mostMs))).toEqual(["lostPlain"])
  })

  it("[T-39] a client that goes on trying is answered within 15 s of the last incident", () => {
    const attempts = (answeredAtMs: number) => [
      attempt({ ticket: 1, sentAtMs: 0, answeredAtMs: 0 }),
      attempt({ ticket: 2, sentAtMs: 10, answeredAtMs })
    ]
    const history = (answeredAtMs: number, incidents: ReadonlyArray<Incident>) => ({
      attempts: attempts(answeredAtMs),
      lines: attempts(answeredAtMs).map(lineOf),
      incidents
    })
    expect(judge(history(backWithinMs, []))).toEqual([])
    expect(rulesOf(history(backWithinMs + 1, []))).toEqual(["silence"])
    const down: Incident = { kind: "kill", atMs: 10_000, untilMs: 20_000 }
    expect(judge(history(20_000 + backWithinMs, [down]))).toEqual([])
    expect(rulesOf(history(20_001 + backWithinMs, [down]))).toEqual(["silence"])
  })

  it("[T-39] a client that is never answered at all waits until the end", () => {
    const attempts = [attempt({ ticket: 1, sentAtMs: 0, answeredAtMs: null })]
    expect(judge({ attempts, endedAtMs: backWithinMs })).toEqual([])
    expect(rulesOf({ attempts, endedAtMs: backWithinMs + 1 })).toEqual(["silence"])
  })
})
