import { PresenceLimits } from "@atrium/domain/presence/PresenceLimits"
import fc from "fast-check"
import { describe, expect, test } from "vitest"

import { newestOf, PresenceEvent, PresenceMachine, type ToldPlayer } from "./PresenceMachine.ts"

const { StreamBegan, PlayersTold, StreamEnded, RunnerGone, Looked } = PresenceEvent
const in_ = (roomId: string, sinceMs = 1) => [{ roomId, sinceMs }]
const runner = "one"
const told = (stream: number, whole: boolean, ...players: ReadonlyArray<ToldPlayer>) =>
  PlayersTold({ runner, stream, whole, players })

/** A machine after these events, and the players that the last of them changed. */
const after = (...events: ReadonlyArray<PresenceEvent>) => {
  const machine = new PresenceMachine()
  let changed: ReadonlyArray<string> = []
  for (const event of events) changed = machine.step(event)
  return { machine, changed }
}

describe("what one runner tells of its players", () => {
  test("[C-561] counts once all of them are told, then with each change", () => {
    const { machine } = after(StreamBegan({ runner, stream: 1 }), told(1, false, ["a", in_("r")]))
    expect(machine.of("a")).toEqual([])
    expect(machine.step(told(1, true, ["b", in_("r")]))).toEqual(["a", "b"])
    expect(machine.of("a")).toEqual(in_("r"))
    expect(machine.step(told(1, true, ["a", []]))).toEqual(["a"])
    expect([machine.of("a"), machine.of("b")]).toEqual([[], in_("r")])
  })

  test("[C-561] of an earlier stream is ignored, however late it comes", () => {
    const { machine, changed } = after(
      StreamBegan({ runner, stream: 1 }),
      StreamBegan({ runner, stream: 2 }),
      told(2, true, ["a", in_("new")]),
      told(1, true, ["a", in_("old")])
    )
    expect([machine.of("a"), changed]).toEqual([in_("new"), []])
    machine.step(StreamEnded({ runner, stream: 1, nowMs: 0 }))
    machine.step(Looked({ nowMs: PresenceLimits.presenceSilence.ms }))
    expect(machine.of("a")).toEqual(in_("new"))
    // A beginning that comes late begins nothing.
    machine.step(StreamBegan({ runner, stream: 1 }))
    expect(machine.step(told(2, true, ["a", []]))).toEqual(["a"])
  })

  test("[C-561] stays while the link is made anew, and then is what is told anew", () => {
    const { machine } = after(
      StreamBegan({ runner, stream: 1 }),
      told(1, true, ["a", in_("r")], ["b", in_("r")]),
      StreamEnded({ runner, stream: 1, nowMs: 10 }),
      StreamBegan({ runner, stream: 2 }),
      told(2, false, ["a", in_("s")])
    )
    expect([machine.of("a"), machine.of("b")]).toEqual([in_("r"), in_("r")])
    expect(machine.step(told(2, true))).toEqual(["a", "b"])
    expect([machine.of("a"), machine.of("b")]).toEqual([in_("s"), []])
    // The silence is over.
    expect(machine.step(Looked({ nowMs: 10_000 }))).toEqual([])
  })

  test("[C-561] is gone when the runner has been silent for half a second, and not before", () => {
    const { machine } = after(
      StreamBegan({ runner, stream: 1 }),
      told(1, true, ["a", in_("r")]),
      StreamEnded({ runner, stream: 1, nowMs: 100 }),
      StreamBegan({ runner, stream: 2 }),
      // A stream that ends before it is whole does not prolong the silence.
      StreamEnded({ runner, stream: 2, nowMs: 400 })
    )
    expect(machine.step(Looked({ nowMs: 599 }))).toEqual([])
    expect(machine.of("a")).toEqual(in_("r"))
    expect(machine.step(Looked({ nowMs: 600 }))).toEqual(["a"])
    expect(machine.of("a")).toEqual([])
  })

  test("[C-561] goes with the runner, and leaves what others tell", () => {
    const { machine } = after(
      StreamBegan({ runner, stream: 1 }),
      StreamBegan({ runner: "two", stream: 2 }),
      told(1, true, ["a", in_("r")]),
      PlayersTold({ runner: "two", stream: 2, whole: true, players: [["a", in_("s", 9)]] })
    )
    expect(newestOf(machine.of("a"))).toEqual({ roomId: "s", sinceMs: 9 })
    expect(machine.step(RunnerGone({ runner: "two" }))).toEqual(["a"])
    expect([machine.of("a"), machine.runners]).toEqual([in_("r"), ["one"]])
    expect(machine.step(RunnerGone({ runner: "two" }))).toEqual([])
  })
})

test("[C-560] of several rooms the one is told that the player came into last, on every runner the same", () => {
  const places = [
    { roomId: "a", sinceMs: 5 },
    { roomId: "c", sinceMs: 7 },
    { roomId: "b", sinceMs: 7 }
  ]
  expect(newestOf(places)).toEqual({ roomId: "c", sinceMs: 7 })
  expect(newestOf(places.toReversed())).toEqual({ roomId: "c", sinceMs: 7 })
  expect(newestOf([])).toBeNull()
})

const runners = ["one", "two", "three"] as const
const act = fc.oneof(
  { weight: 6, arbitrary: fc.record({ at: fc.nat(2), player: fc.nat(5), room: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ at: fc.nat(2), ends: fc.boolean() }) }
)

test("[C-561] when it is quiet, players are where they are, whatever links were lost before", () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
      const machine = new PresenceMachine()
      const truth = runners.map(() => new Map<string, string>())
      const untold = runners.map(() => new Set<string>())
      const open: Array<number | null> = [null, null, null]
      let streams = 0
      const part = (at: number): void => {
        const stream = open[at] ?? null
        if (stream === null) return
        const [here, due] = [truth[at], untold[at]]
        const players = [...(due ?? [])].map((subject): ToldPlayer => {
          const roomId = here?.get(subject)
          return [subject, roomId === undefined ? [] : in_(roomId)]
        })
        due?.clear()
        machine.step(PlayersTold({ runner: runners[at] ?? "", stream, whole: true, players }))
      }
      const begin = (at: number): void => {
        const stream = (open[at] = ++streams)
        machine.step(StreamBegan({ runner: runners[at] ?? "", stream }))
        for (const subject of truth[at]?.keys() ?? []) untold[at]?.add(subject)
      }
      for (const [nowMs, { at, ...what }] of acts.entries()) {
        if ("ends" in what) {
          const stream = open[at] ?? null
          open[at] = null
          untold[at]?.clear()
          if (stream !== null) {
            machine.step(StreamEnded({ runner: runners[at] ?? "", stream, nowMs }))
          }
          if (what.ends) machine.step(Looked({ nowMs: nowMs + 1000 }))
        } else {
          const subject = `p/${what.player}`
          if (what.room === 0) truth[at]?.delete(subject)
          else truth[at]?.set(subject, `r${what.room}`)
          untold[at]?.add(subject)
          if (open[at] === null) begin(at)
          else if (nowMs % 2 === 0) part(at)
        }
      }
      for (const at of runners.keys()) {
        if (open[at] === null) begin(at)
        part(at)
      }
      for (let player = 0; player <= 5; player++) {
        const subject = `p/${player}`
        const rooms = truth.flatMap((here) => here.get(subject) ?? []).toSorted()
        expect(
          machine
            .of(subject)
            .map(({ roomId }) => roomId)
            .toSorted()
        ).toEqual(rooms)
      }
    }),
    { numRuns: 200 }
  )
})
