import { describe, expect, test } from "vitest"

import { frame, makeGate, makeProcess, welcome } from "./testing/FakeGate.ts"

describe("restarts", () => {
  test("[D-22] the late end of a process does not take the next one away", () => {
    const { gate, enter } = makeGate()
    const [first, second] = [makeProcess(), makeProcess()]
    gate.attach(first.process)
    const ann = enter("ann")
    gate.attach(second.process)
    gate.detach(first.process, 0)
    gate.data(ann.ref, frame(1))
    expect(second.told.at(-1)).toEqual(["data", ann.ref, frame(1)])
  })

  test("[C-417] an answer to a call of the process before is not given to the next one", () => {
    const { gate, enter } = makeGate()
    const [first, second] = [makeProcess(), makeProcess()]
    gate.attach(first.process)
    const ann = enter("ann")
    gate.detach(first.process, 0)
    const [message, answer, owner] = [2, 6, 9].map((type) => frame(0x92, type))
    for (const each of [answer, message, owner]) if (each) gate.data(ann.ref, each)
    gate.attach(second.process)
    expect(second.told).toEqual([
      ["join", ann.ref],
      ["data", ann.ref, message]
    ])
  })

  test("[D-22] every client is seated again, and a welcomed client keeps its session", () => {
    const { gate, enter } = makeGate()
    const before = makeProcess().process
    gate.attach(before)
    const ann = enter("ann", { resumeHash: "spent" })
    gate.joined(ann.ref, welcome("s-ann"))
    const waiting = enter("bob", { resumeHash: "old" })
    gate.detach(before, 0)
    const late = enter("eve")
    const { process, joins } = makeProcess()
    gate.attach(process)
    expect(joins).toMatchObject([
      { ref: ann.ref, attachedAs: "s-ann", resumeHash: null, nextResumeHash: "ann-resume-2" },
      { ref: waiting.ref, attachedAs: null, resumeHash: "old", nextResumeHash: "bob-resume-2" },
      { ref: late.ref, attachedAs: null, resumeHash: null, nextResumeHash: "eve-resume-1" }
    ])
  })

  test("[C-203] tells the clients that were in the room how much play is lost, once, and later clients nothing", () => {
    const { gate, enter, welcomed } = makeGate()
    const [first, second] = [makeProcess().process, makeProcess().process]
    gate.attach(first)
    const [ann, waiting] = [welcomed("ann"), enter("bob")]
    gate.detach(first, 700)
    // A process that dies before it has welcomed a client takes no play along.
    gate.attach(second)
    gate.detach(second, 5)
    gate.attach(makeProcess().process)
    const late = enter("eve")
    for (const { ref } of [ann, waiting, late]) gate.joined(ref, welcome(`s-${ref}`))
    gate.joined(ann.ref, welcome(`s-${ann.ref}`, 2))
    expect([ann, waiting, late].map(({ got }) => got)).toEqual([
      [
        ["welcome", `s-${ann.ref}`, 1, { staleMs: 700 }],
        ["welcome", `s-${ann.ref}`, 2]
      ],
      [["welcome", `s-${waiting.ref}`, 1]],
      [["welcome", `s-${late.ref}`, 1]]
    ])
  })

  test("[D-24] no patch of the new process comes before its welcome", () => {
    const { gate, welcomed } = makeGate()
    const before = makeProcess().process
    gate.attach(before)
    const [ann, bob] = [welcomed("ann"), welcomed("bob")]
    gate.detach(before, 0)
    gate.attach(makeProcess().process)
    gate.joined(ann.ref, welcome("s-ann", 4))
    gate.deliver("all", frame(5))
    gate.joined(bob.ref, welcome("s-bob", 5))
    gate.deliver("all", frame(6))
    expect(ann.got).toEqual([
      ["welcome", "s-ann", 4, { staleMs: 0 }],
      ["frame", frame(5)],
      ["frame", frame(6)]
    ])
    expect(bob.got).toEqual([
      ["welcome", "s-bob", 5, { staleMs: 0 }],
      ["frame", frame(6)]
    ])
  })

  test("[D-09] the next process gets the player's newest fields", () => {
    const { gate, enter } = makeGate()
    const before = makeProcess().process
    gate.attach(before)
    const tabs = [enter("ann"), enter("ann")]
    enter("bob", { player: frame(1) })
    gate.playerChanged("ann", frame(2))
    gate.detach(before, 0)
    const { process, joins } = makeProcess()
    gate.attach(process)
    expect(joins.map(({ player }) => player)).toEqual([...tabs.map(() => frame(2)), frame(1)])
  })
})
