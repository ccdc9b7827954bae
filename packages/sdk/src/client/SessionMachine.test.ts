import { CloseCodes } from "@atrium/wire/frames/CloseCode"
import fc from "fast-check"
import { describe, expect, test } from "vitest"

import {
  backoffMs,
  ClientClose,
  makeSessionMachine,
  type Loss,
  type SessionEvent,
  type SessionState
} from "./SessionMachine.ts"

const settings = { baseMs: 100, capMs: 5000, reconnectForMs: 60_000, wakingForMs: 10_000 }
const step = makeSessionMachine(settings)
const joining: SessionState = { _tag: "Joining", knocking: null }
const joined: SessionState = { _tag: "Joined", attempts: 0, joinedAtMs: 0 }
const last = { code: 1006, reason: "E_UNREACHABLE" }

const loss = (code: number, more: Partial<Loss> = {}): Loss => ({
  code,
  reason: "",
  refusal: null,
  ...more
})
const lost = (code: number, nowMs = 0, more: Partial<Loss> = {}): SessionEvent => ({
  _tag: "ConnectionLost",
  loss: loss(code, more),
  nowMs,
  random: 0.5
})

describe("joining", () => {
  test("[D-24] a welcome settles the join", () => {
    expect(step(joining, { _tag: "Welcomed", nowMs: 7 })).toEqual([
      { _tag: "Joined", attempts: 0, joinedAtMs: 7 },
      [{ _tag: "SettleJoin" }]
    ])
  })

  test("[D-24] the refusal is the error frame before the close", () => {
    const refusal = { code: "E_ROOM_FULL", message: "the room is full" }
    expect(step(joining, lost(4409, 0, { refusal }))).toEqual([
      { _tag: "Ended" },
      [{ _tag: "FailJoin", refusal, closeCode: 4409 }]
    ])
  })

  test("[D-24] without an error frame the close code says why", () => {
    const [, actions] = step(joining, lost(4409))
    const refusal = { code: "E_ROOM_FULL", message: "the connection was closed with 4409" }
    expect(actions).toEqual([{ _tag: "FailJoin", refusal, closeCode: 4409 }])
  })

  test.each(Object.values(CloseCodes).filter(({ name }) => name !== "E_TENANT_WAKING"))(
    "[D-24] $code $name ends a join that never was, whatever it means later",
    ({ code }) => {
      const [state, actions] = step(joining, lost(code))
      expect(state).toEqual({ _tag: "Ended" })
      expect(actions).toMatchObject([{ _tag: "FailJoin", closeCode: code }])
    }
  )

  test("[error.room.E_TENANT_WAKING] a server that takes no rooms now is asked again for ten seconds, no longer", () => {
    let state: SessionState = joining
    const waits: Array<number> = []
    let nowMs = 500
    for (;;) {
      const [refused, actions] = step(state, lost(4503, nowMs))
      const [action] = actions
      if (action?._tag !== "StartWait") {
        expect([refused, actions]).toMatchObject([
          { _tag: "Ended" },
          [{ _tag: "FailJoin", refusal: { code: "E_TENANT_WAKING" }, closeCode: 4503 }]
        ])
        break
      }
      expect(step(refused, lost(4503, nowMs))).toEqual([refused, []])
      waits.push(action.waitMs)
      nowMs += action.waitMs
      const [again, opened] = step(refused, { _tag: "WaitElapsed" })
      expect(opened).toEqual([{ _tag: "OpenConnection" }])
      state = again
    }
    expect(waits.slice(0, 5)).toEqual([50, 100, 200, 400, 800])
    expect(waits.reduce((sum, ms) => sum + ms, 0)).toBe(10_000)
    expect(step(state, { _tag: "Welcomed", nowMs })[1]).toEqual([{ _tag: "SettleJoin" }])
  })

  test("[error.room.E_TENANT_WAKING] a client that does not reconnect does not wait either", () => {
    const [, actions] = makeSessionMachine({ ...settings, wakingForMs: 0 })(joining, lost(4503))
    expect(actions).toMatchObject([{ _tag: "FailJoin", closeCode: 4503 }])
  })

  test("[D-24] a join without a connection fails with E_UNREACHABLE", () => {
    const [, actions] = step(joining, lost(1006))
    expect(actions).toMatchObject([{ _tag: "FailJoin", refusal: { code: "E_UNREACHABLE" } }])
  })
})

describe("after the join", () => {
  test.each(Object.values(CloseCodes))("[D-24] $code $name: $then", (row) => {
    const [state, actions] = step(joined, lost(row.code))
    const expected = row.client === "stop" ? ["TellLeave"] : ["TellDrop", "StartWait"]
    expect(actions.map((action) => action._tag)).toEqual(expected)
    expect(state._tag).toBe(row.client === "stop" ? "Ended" : "Waiting")
  })

  test("[D-24] an unknown code is a lost network: the client comes back", () => {
    expect(step(joined, lost(1006, 3))).toEqual([
      { _tag: "Waiting", attempts: 1, droppedAtMs: 3, last },
      [
        { _tag: "TellDrop", ...last },
        { _tag: "StartWait", waitMs: 50 }
      ]
    ])
  })

  test("[D-24] a stream that cannot be trusted is closed and taken up anew", () => {
    const why = { code: "E_PROTOCOL", message: "patch: tick 5 after 3" }
    const [state, actions] = step(joined, { _tag: "ConnectionFailed", why, nowMs: 0, random: 0 })
    expect(state._tag).toBe("Waiting")
    expect(actions).toEqual([
      { _tag: "CloseConnection", code: ClientClose.abandoned },
      { _tag: "TellDrop", code: ClientClose.abandoned, reason: why.message },
      { _tag: "StartWait", waitMs: 0 }
    ])
  })

  test("[D-24] a schema that cannot be read ends the session for good", () => {
    expect(step(joined, { _tag: "SchemaRefused", message: "players.hp: kind" })).toEqual([
      { _tag: "Ended" },
      [
        { _tag: "CloseConnection", code: 1000 },
        { _tag: "TellError", refusal: { code: "E_SCHEMA_MISMATCH", message: "players.hp: kind" } },
        { _tag: "TellLeave", code: ClientClose.schemaMismatch, reason: "E_SCHEMA_MISMATCH" }
      ]
    ])
  })

  test("[D-24] a second welcome on a living connection changes nothing here", () => {
    expect(step(joined, { _tag: "Welcomed", nowMs: 9 })).toEqual([joined, []])
  })
})

describe("coming back", () => {
  const rejoining: SessionState = { _tag: "Rejoining", attempts: 3, droppedAtMs: 0, last }

  test("[client.back-off] the wait over, it connects; welcomed, it tells", () => {
    const waiting: SessionState = { ...rejoining, _tag: "Waiting" }
    expect(step(waiting, { _tag: "WaitElapsed" })).toEqual([
      rejoining,
      [{ _tag: "OpenConnection" }]
    ])
    expect(step(rejoining, { _tag: "Welcomed", nowMs: 40 })).toEqual([
      { _tag: "Joined", attempts: 3, joinedAtMs: 40 },
      [{ _tag: "TellReconnect" }]
    ])
  })

  test("[client.back-off] a drop is told once, not for each attempt", () => {
    const [, actions] = step(rejoining, lost(1006, 10))
    expect(actions).toEqual([{ _tag: "StartWait", waitMs: 400 }])
  })

  test("[client.back-off] it gives up reconnectForMs after the drop, not a moment earlier", () => {
    const [before, early] = step(rejoining, lost(1012, 59_999))
    expect(before._tag).toBe("Waiting")
    expect(early).toEqual([{ _tag: "StartWait", waitMs: 1 }])
    const [after, late] = step(rejoining, lost(1012, 60_000))
    expect(after).toEqual({ _tag: "Ended" })
    expect(late).toEqual([{ _tag: "TellLeave", code: 1012, reason: "E_ROOM_RESTARTING" }])
  })

  test("[client.back-off] reconnectForMs 0 never reconnects and tells no drop", () => {
    const never = makeSessionMachine({ ...settings, reconnectForMs: 0 })
    expect(never(joined, lost(1006))).toEqual([{ _tag: "Ended" }, [{ _tag: "TellLeave", ...last }]])
  })

  test("[client.back-off] only a connection that lasted makes the waits short again", () => {
    const back: SessionState = { _tag: "Joined", attempts: 4, joinedAtMs: 0 }
    expect(step(back, lost(1006, 4999))[0]).toMatchObject({ attempts: 5 })
    expect(step(back, lost(1006, 5000))[0]).toMatchObject({ attempts: 1 })
  })

  test("[state.room.force-delete.clients-stop] a stop code ends the attempts and says why", () => {
    const refusal = { code: "E_ROOM_DELETED", message: "the room was deleted" }
    expect(step(rejoining, lost(4291, 10, { refusal, reason: "E_ROOM_DELETED" }))).toEqual([
      { _tag: "Ended" },
      [
        { _tag: "TellError", refusal },
        { _tag: "TellLeave", code: 4291, reason: "E_ROOM_DELETED" }
      ]
    ])
  })
})

describe("laws", () => {
  test("[client.back-off] full jitter stays within 0 and the doubled base, at most the cap", () => {
    const unit = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
    fc.assert(
      fc.property(fc.nat(200), unit, (attempts, random) => {
        const waitMs = backoffMs(settings, attempts, random)
        expect(waitMs).toBeGreaterThanOrEqual(0)
        expect(waitMs).toBeLessThan(Math.min(5000, 100 * 2 ** attempts))
      })
    )
  })

  test("[client.session] leaving ends every state, and nothing follows the end", () => {
    const code = fc.constantFrom(1000, 1006, 1012, 4291, 4409)
    const event: fc.Arbitrary<SessionEvent> = fc.oneof(
      fc.record({ _tag: fc.constant("Welcomed" as const), nowMs: fc.nat() }),
      code.map((each) => lost(each)),
      fc.constant<SessionEvent>({ _tag: "WaitElapsed" }),
      fc.constant<SessionEvent>({ _tag: "LeaveAsked" }),
      fc.constant<SessionEvent>({ _tag: "SchemaRefused", message: "x" })
    )
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        let state: SessionState = joining
        let leaves = 0
        for (const each of events) {
          const before = state
          const [next, actions] = step(state, each)
          if (before._tag === "Ended") expect(actions).toEqual([])
          if (next._tag === "Waiting" && before._tag !== "Waiting") {
            expect(actions.at(-1)?._tag).toBe("StartWait")
          }
          leaves += actions.filter(({ _tag }) => _tag === "TellLeave" || _tag === "FailJoin").length
          state = next
        }
        expect(leaves).toBeLessThanOrEqual(1)
        expect(step(state, { _tag: "LeaveAsked" })[0]).toEqual({ _tag: "Ended" })
      })
    )
  })
})
