import { ConnectionLimits } from "@atrium/domain/connections/ConnectionLimits"
import { ServerFrame } from "@atrium/wire/frames/Frame"
import { FrameLimits } from "@atrium/wire/frames/FrameLimits"
import { unpackValue } from "@atrium/wire/msgpack/MsgpackReader"
import { describe, expect, test } from "vitest"

import { closeFor } from "./GateListener.ts"
import {
  entrance,
  frame,
  makeClient,
  makeGate,
  makeProcess,
  welcome,
  welcomeHead
} from "./testing/FakeGate.ts"

describe("frames of the room", () => {
  test("[D-24] a frame for all goes to every welcomed client, as the very same bytes", () => {
    const { gate, enter, welcomed } = makeGate()
    gate.attach(makeProcess().process)
    const [ann, bob, waiting] = [welcomed("ann"), welcomed("bob"), enter("waiting")]
    const patch = frame(1, 2, 3)
    gate.deliver("all", patch)
    for (const { got } of [ann, bob]) {
      expect(got).toEqual([["frame", patch]])
      expect(got[0]?.[1]).toBe(patch)
    }
    expect(waiting.got).toEqual([])
  })

  test("[D-24] a frame for some clients goes to those that are connected and welcomed", () => {
    const { gate, enter, welcomed } = makeGate()
    gate.attach(makeProcess().process)
    const [ann, bob, waiting] = [welcomed("ann"), welcomed("bob"), enter("waiting")]
    gate.deliver([ann.ref, waiting.ref, 99], frame(4))
    expect(ann.got).toEqual([["frame", frame(4)]])
    expect(bob.got).toEqual([])
    expect(waiting.got).toEqual([])
  })

  test("[D-24] a client that leaves while a frame is delivered harms nobody", () => {
    const { gate, welcomed } = makeGate()
    gate.attach(makeProcess().process)
    const [ann, bob] = [welcomed("ann"), welcomed("bob")]
    ann.sink.write = () => {
      gate.exit(ann.ref, false)
      return false
    }
    gate.deliver("all", frame(1))
    expect(bob.got).toEqual([["frame", frame(1)]])
    expect(gate.connections).toBe(1)
  })

  test("[D-24] [metrics.egressBytes] bytes are counted in and out, whole welcomes among them", () => {
    const { gate, welcomed } = makeGate()
    gate.attach(makeProcess().process)
    const ann = welcomed("ann")
    welcomed("bob")
    gate.deliver("all", frame(1, 2, 3))
    gate.deliver([ann.ref], frame(4))
    gate.data(ann.ref, frame(5, 6))
    expect(gate.egressBytes).toBe(2 * (welcomeHead + 10) + 3 + 3 + 1)
    expect(gate.ingressBytes).toBe(2)
  })

  test("[C-506] over the sustained rate messages are dropped, and everything else passes", () => {
    const { gate, welcomed } = makeGate()
    gate.attach(makeProcess().process)
    const [ann, bob] = [welcomed("ann"), welcomed("bob")]
    const before = gate.egressBytes
    const message = frame(0x93, ServerFrame.msg, 1)
    const sent = frame(0x93, ServerFrame.sent, 1)
    const patch = frame(0x93, ServerFrame.patch, 1)
    const other = makeGate().gate
    const spare = { bytes: 7 }
    gate.spare = spare
    other.spare = spare
    gate.deliver("all", message)
    gate.deliver("all", sent)
    gate.deliver([bob.ref], patch)
    expect(ann.got).toEqual([["frame", message]])
    expect(bob.got).toEqual([
      ["frame", message],
      ["frame", patch]
    ])
    expect([spare.bytes, gate.droppedBytes, gate.egressBytes - before]).toEqual([1, 6, 9])
    gate.spare = null
    gate.deliver([ann.ref], sent)
    expect(ann.got).toHaveLength(2)
  })

  test("[rooms.row.clients] players count once they are welcomed, viewers and refused clients never", () => {
    const { gate, enter } = makeGate()
    gate.attach(makeProcess().process)
    const [ann, bob, refused] = [enter("ann"), enter("bob"), enter("refused")]
    const viewer = enter("viewer", { role: "fan" })
    expect([gate.players, gate.connections]).toEqual([0, 4])
    for (const { ref } of [ann, bob, viewer]) gate.joined(ref, welcome(`s-${ref}`))
    gate.refused(refused.ref, { code: "E_JOIN_REFUSED", message: "no" })
    expect([gate.players, gate.connections]).toEqual([2, 3])
    // The process has restarted: the same client is welcomed again.
    gate.joined(ann.ref, welcome(`s-${ann.ref}`))
    expect(gate.players).toBe(2)
    gate.exit(viewer.ref, true)
    gate.exit(ann.ref, false)
    gate.exit(ann.ref, false)
    expect([gate.players, gate.connections]).toEqual([1, 1])
    gate.closeAll({ code: 1012, reason: "restarting" })
    expect([gate.players, gate.connections]).toEqual([0, 0])
  })

  test("[slow.refused-bytes-unbilled] does not count frames that a slow client is refused", () => {
    const { gate, welcomed } = makeGate()
    gate.attach(makeProcess().process)
    const slow = welcomed("ann")
    welcomed("bob")
    slow.sink.write = () => false
    gate.deliver("all", frame(1, 2, 3))
    gate.deliver([slow.ref], frame(4))
    expect(gate.egressBytes).toBe(2 * (welcomeHead + 10) + 3)
  })
})

describe("frames of clients", () => {
  test("[D-24] a frame goes to the process as it came", () => {
    const { gate, welcomed } = makeGate()
    const { process, told } = makeProcess()
    gate.attach(process)
    const ann = welcomed("ann")
    const sent = frame(2, 0)
    gate.data(ann.ref, sent)
    expect(told.at(-1)).toEqual(["data", ann.ref, sent])
    expect(told.at(-1)?.[2]).toBe(sent)
  })

  test("[limits.framesKept] without a process 1,024 frames are kept, and not one more", () => {
    const { gate, welcomed } = makeGate()
    const ann = welcomed("ann")
    for (let index = 0; index <= ConnectionLimits.framesKept.max; index++)
      gate.data(ann.ref, frame(index & 255))
    const { process, told } = makeProcess()
    gate.attach(process)
    const replayed = told.filter(([what]) => what === "data")
    expect(replayed).toHaveLength(1024)
    expect(replayed.at(-1)).toEqual(["data", ann.ref, frame(255)])
    expect(told[0]).toEqual(["join", ann.ref])
  })

  test("[limits.framesKeptBytes] nor more bytes of them than a room may keep", () => {
    const { gate, welcomed } = makeGate()
    const ann = welcomed("ann")
    const large = new Uint8Array(FrameLimits.frameBytes.max)
    const most = ConnectionLimits.framesKeptBytes.max / large.length
    for (let index = 0; index < most; index++) gate.data(ann.ref, large)
    gate.data(ann.ref, frame(1))
    const { process, told } = makeProcess()
    gate.attach(process)
    const replayed = told.filter(([what]) => what === "data")
    expect(replayed).toHaveLength(most)
    expect(replayed.every(([, , kept]) => kept === large)).toBe(true)
  })

  test("[D-22] kept frames are replayed once, in order, without the frames of clients that left meanwhile", () => {
    const { gate, welcomed } = makeGate()
    const [ann, bob] = [welcomed("ann"), welcomed("bob")]
    gate.data(ann.ref, frame(1))
    gate.data(bob.ref, frame(2))
    gate.data(ann.ref, frame(3))
    gate.exit(bob.ref, false)
    const first = makeProcess()
    gate.attach(first.process)
    expect(first.told).toEqual([
      ["join", ann.ref],
      ["data", ann.ref, frame(1)],
      ["data", ann.ref, frame(3)]
    ])
    gate.detach(first.process, 0)
    const second = makeProcess()
    gate.attach(second.process)
    expect(second.told).toEqual([["join", ann.ref]])
  })
})

describe("joins", () => {
  test("[D-24] seats a client with a fresh resume token", () => {
    const { gate, enter } = makeGate()
    const { process, joins } = makeProcess()
    gate.attach(process)
    const more = { resumeHash: "old", player: frame(9), options: { a: 1 } }
    const ann = enter("ann", more)
    expect(joins).toEqual([
      { ...entrance("ann", more), ref: ann.ref, nextResumeHash: "ann-resume-1", attachedAs: null }
    ])
  })

  test("[C-631] keeps seats until their players join, and tells the room how many", () => {
    const { gate, enter, welcomed } = makeGate()
    const { process, joins } = makeProcess()
    gate.attach(process)
    welcomed("ann")
    enter("viewer", { role: "audience" })
    const untilMs = 15_000
    expect(gate.keptSeats.keep({ players: ["bob", "cat", "dan"], untilMs }, 3)).toBe(false)
    expect(gate.keptSeats.keep({ players: ["bob", "cat"], untilMs }, 3)).toBe(true)
    expect(gate.keptSeats.keep({ players: ["dan"], untilMs }, 3)).toBe(false)
    // The same match again, by an actor that took over.
    expect(gate.keptSeats.keep({ players: ["bob", "cat"], untilMs }, 3)).toBe(true)
    const told = (name: string) => {
      enter(name)
      return joins.at(-1)?.seatsKept
    }
    expect([told("eve"), told("bob"), told("eve")]).toEqual([2, 1, 1])
    const cat = enter("cat")
    expect(joins.at(-1)?.seatsKept).toBe(undefined)
    // The room has refused the player, whose seat is kept on; a player who was in has had it.
    gate.refused(cat.ref, { code: "E_JOIN_REFUSED", message: "" })
    expect(told("eve")).toBe(1)
    const again = enter("cat")
    gate.joined(again.ref, welcome("s-cat"))
    gate.exit(again.ref, true)
    expect(told("eve")).toBe(undefined)
  })

  test("[C-631] a room that is put away keeps no seat, and a seat lapses to the millisecond", () => {
    const { gate, enter } = makeGate()
    const { process, joins } = makeProcess()
    gate.attach(process)
    gate.keptSeats.keep({ players: ["bob"], untilMs: 15_000 }, 3)
    const told = () => {
      enter("eve")
      return joins.at(-1)?.seatsKept
    }
    gate.keptSeats.lapse(14_999)
    expect(told()).toBe(1)
    gate.keptSeats.lapse(15_000)
    expect(told()).toBe(undefined)
    gate.close()
    expect(gate.keptSeats.keep({ players: ["cat"], untilMs: 30_000 }, 9)).toBe(false)
  })

  test("[D-24] a refused client hears it and is gone", () => {
    const { gate, occupancy, enter } = makeGate()
    gate.attach(makeProcess().process)
    const ann = enter("ann")
    gate.refused(ann.ref, { code: "E_ROOM_FULL", message: "full" })
    gate.refused(ann.ref, { code: "E_ROOM_FULL", message: "full" })
    expect(ann.got).toEqual([["refuse", "E_ROOM_FULL"]])
    expect(gate.connections).toBe(0)
    expect(occupancy).toEqual(["occupied", "left"])
  })

  test("[D-14] a room that is put away lets nobody in", () => {
    const { gate, welcomed } = makeGate()
    const ann = welcomed("ann")
    expect(gate.open).toBe(true)
    gate.close()
    expect(gate.open).toBe(false)
    expect(gate.enter(makeClient("bob").sink, entrance("bob"))).toBeNull()
    expect(gate.connections).toBe(1)
    gate.deliver([ann.ref], frame(1))
    expect(ann.got).toEqual([["frame", frame(1)]])
  })

  test("[D-24] a welcome for a client that has gone meanwhile reaches no client", () => {
    const { gate, enter } = makeGate()
    gate.attach(makeProcess().process)
    const ann = enter("ann")
    gate.exit(ann.ref, false)
    gate.joined(ann.ref, welcome("s-ann"))
    expect(ann.got).toEqual([])
  })
})

describe("ends", () => {
  test("[D-24] a client that leaves is told apart from one that is lost", () => {
    const { gate, occupancy, welcomed } = makeGate()
    const { process, told } = makeProcess()
    gate.attach(process)
    const [ann, bob] = [welcomed("ann"), welcomed("bob")]
    gate.exit(ann.ref, true)
    gate.exit(bob.ref, false)
    gate.exit(bob.ref, true)
    expect(told.slice(2)).toEqual([
      ["leave", ann.ref],
      ["drop", bob.ref]
    ])
    expect(occupancy).toEqual(["occupied", "dropped"])
  })

  test("[D-24] a kicked client is closed; the process is not told what it ordered", () => {
    const { gate, occupancy, welcomed } = makeGate()
    const { process, told } = makeProcess()
    gate.attach(process)
    const ann = welcomed("ann")
    gate.kick(ann.ref, { code: 4420, reason: "cheater" })
    gate.kick(ann.ref, { code: 4420, reason: "cheater" })
    gate.exit(ann.ref, false)
    expect(ann.got).toEqual([["close", 4420, "cheater"]])
    expect(told).toEqual([["join", ann.ref]])
    expect(occupancy).toEqual(["occupied", "left"])
  })

  test("[D-14] a room that ends closes everyone once", () => {
    const { gate, enter, welcomed } = makeGate()
    const clients = [welcomed("ann"), enter("bob")]
    for (const { sink, ref, got } of clients) {
      sink.close = ({ code }) => {
        got.push(["close", code])
        gate.exit(ref, false)
      }
    }
    gate.closeAll(closeFor("shutdown"))
    gate.closeAll(closeFor("shutdown"))
    for (const { got } of clients) expect(got).toEqual([["close", 1012]])
    expect(gate.connections).toBe(0)
  })

  test.each([
    ["empty", { code: 1012, reason: "the room sleeps" }],
    ["redeploy", { code: 1012, reason: "E_ROOM_RESTARTING" }],
    ["shutdown", { code: 1012, reason: "E_ROOM_RESTARTING" }],
    ["restore", { code: 1012, reason: "E_ROOM_RESTARTING" }],
    ["pressure", { code: 1012, reason: "E_ROOM_RESTARTING" }],
    ["dataOut", { code: 4290, reason: "E_DATA_OUT" }]
  ] as const)(
    "[D-24] a room put away for %s tells its clients whether to come back",
    (reason, close) => {
      expect(closeFor(reason)).toEqual(close)
    }
  )
})

describe("chat", () => {
  const unpack = (line: unknown) =>
    unpackValue(line instanceof Uint8Array ? line : new Uint8Array())

  test("[D-24] a line goes to everyone in the room, its writer too", () => {
    const { gate, enter, welcomed } = makeGate()
    const [ann, bob, waiting] = [welcomed("ann"), welcomed("bob"), enter("waiting")]
    gate.chat(ann.ref, "hello")
    for (const { got } of [ann, bob]) expect(unpack(got[0]?.[1])).toEqual([20, "s-ann", "hello"])
    expect(waiting.got).toEqual([])
  })

  test("[D-24] passes on no chat of a client that the room has not let in", () => {
    const { gate, enter, welcomed } = makeGate()
    const ann = welcomed("ann")
    gate.chat(enter("waiting").ref, "hello")
    gate.chat(99, "hello")
    expect(ann.got).toEqual([])
  })
})
