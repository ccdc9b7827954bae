import { expect, test } from "vitest"

import { Lease } from "../cluster/ShardLeases.ts"
import { entrance, frame, makeGate, makeProcess, welcome } from "./testing/FakeGate.ts"

const restarting = ["close", 1012, "E_ROOM_RESTARTING"]

const leased = () => {
  let nowMs = 0
  const made = makeGate(new Lease(100, () => nowMs))
  made.gate.attach(makeProcess().process)
  return { ...made, after: (ms: number) => void (nowMs = ms) }
}

const sayings: ReadonlyArray<readonly [string, (gate: ReturnType<typeof leased>["gate"]) => void]> =
  [
    ["a frame for all", (gate) => gate.deliver("all", frame(1))],
    ["an answer to one", (gate) => gate.deliver([1], frame(1))],
    ["a welcome", (gate) => gate.joined(2, welcome("s-2"))],
    ["a refusal", (gate) => gate.refused(2, { code: "E_JOIN_REFUSED", message: "no" })],
    ["a chat line", (gate) => gate.chat(1, "hello")],
    ["a kick", (gate) => gate.kick(1, { code: 4000, reason: "out" })]
  ]

test.each(sayings)(
  "[C-447] a room whose lease is over closes its clients with 1012 instead of %s",
  (_, say) => {
    const { gate, welcomed, enter, after } = leased()
    const [ann, bob] = [welcomed("ann"), enter("bob")]
    after(99)
    expect(gate.serves(ann.ref)).toBe(true)
    after(100)
    expect(gate.serves(ann.ref)).toBe(false)
    say(gate)
    expect([ann.got, bob.got]).toEqual([[restarting], [restarting]])
  }
)

test("[C-447] a room whose lease is over closes its clients at the next look, also when it is silent", () => {
  const { gate, welcomed, after } = leased()
  const ann = welcomed("ann")
  after(99)
  gate.closeLapsed()
  expect([gate.lapsed, ann.got]).toEqual([false, []])
  after(100)
  gate.closeLapsed()
  expect([gate.lapsed, ann.got]).toEqual([true, [restarting]])
  expect(gate.enter(ann.sink, entrance("late"))).toBe(null)
})

test("[C-447] a room says everything until its lease is over", () => {
  const { gate, welcomed, after } = leased()
  const ann = welcomed("ann")
  after(99)
  gate.deliver("all", frame(1))
  expect(ann.got).toEqual([["frame", frame(1)]])
})

test("[C-446] a client is served by a process, or while somebody sees to the next one", () => {
  const { gate, welcomed } = makeGate()
  const { process } = makeProcess()
  gate.attach(process)
  const { ref } = welcomed("ann")
  expect([gate.serves(ref), gate.serves(ref + 1)]).toEqual([true, false])
  const done = gate.expect()
  gate.detach(process, 0)
  expect(gate.serves(ref)).toBe(true)
  done()
  done()
  expect(gate.serves(ref)).toBe(false)
})
