import { ConnectionLimits } from "@atrium/domain/connections/ConnectionLimits"
import { until } from "@atrium/domain/testing/Until"
import { ServerFrame } from "@atrium/wire/frames/Frame"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"
import { describe, expect, test } from "vitest"

import { frame, makeProcess, welcome, welcomeHead } from "../rooms/testing/FakeGate.ts"
import { hashSecretHex } from "../store/Secrets.ts"
import {
  type GateClient,
  type GateUnderTest,
  linkedGate,
  localGate
} from "./testing/LinkedGates.ts"

/** A room with a process and so many welcomed clients, in a gate of one kind. */
const room = async (make: () => Promise<GateUnderTest>, ...names: ReadonlyArray<string>) => {
  const under = await make()
  const { process, joins, told } = makeProcess()
  under.gate.attach(process)
  const clients: Array<GateClient> = []
  for (const name of names) {
    const client = await under.enter(name)
    if (client === null) throw new Error(`${name} is not let in`)
    under.gate.joined(joins.at(-1)?.ref ?? 0, welcome(`s-${name}`))
    await under.settled()
    client.got.length = 0
    clients.push(client)
  }
  told.length = 0
  const [ann, bob] = clients
  if (ann === undefined) throw new Error("nobody is in the room")
  return { ...under, process, joins, told, ann, bob: bob ?? ann }
}

const refOf = ({ joins }: { joins: ReadonlyArray<{ readonly ref: number }> }, at = 0): number =>
  joins[at]?.ref ?? 0

describe.each([
  ["of the client's own runner", localGate],
  ["over a link", () => linkedGate()]
])("the gate %s", (_kind, make) => {
  test("[C-410] tells the room who comes, and the client what the room says", async () => {
    const { gate, enter, settled, joins, end } = await room(make, "zoe")
    const ann = await enter("ann")
    await settled()
    expect(joins[1]).toMatchObject({
      playerId: "ann",
      name: "ann",
      role: "player",
      options: null,
      resumeHash: null,
      sessionId: "fresh-ann",
      attachedAs: null
    })
    gate.joined(refOf({ joins }, 1), welcome("s-ann", 7))
    await settled()
    expect(ann?.got).toEqual([["welcome", "s-ann", 7]])
    expect([...(ann?.welcomes[0]?.state ?? [])]).toEqual([...new Uint8Array(10)])
    expect([gate.players, gate.connections]).toEqual([2, 2])
    await end()
  })

  test("[C-410] hands frames to the room in their order, each whole", async () => {
    const { ann, settled, told, joins, end } = await room(make, "ann")
    const sent = [frame(1), frame(2, 2), new Uint8Array(200_000).fill(3), frame(4)]
    for (const each of sent) ann.seat.data(ann.ref, each)
    await settled()
    const plain = told.map(([what, ref, bytes]) => [what, ref, Buffer.from(bytes as Uint8Array)])
    expect(plain).toEqual(sent.map((each) => ["data", refOf({ joins }), Buffer.from(each)]))
    await end()
  })

  test("[C-410] brings the room's frames for all and for one, in their order", async () => {
    const { gate, ann, bob, settled, joins, end } = await room(make, "ann", "bob")
    const [one, two, three] = [frame(1), frame(2), frame(3)]
    gate.deliver("all", one)
    gate.deliver([refOf({ joins }, 1)], two)
    gate.deliver("all", three)
    await settled()
    const framesOf = ({ got }: GateClient) => got.map(([, bytes]) => [...(bytes as Uint8Array)])
    expect(framesOf(ann)).toEqual([[1], [3]])
    expect(framesOf(bob)).toEqual([[1], [2], [3]])
    await end()
  })

  test("[C-410] brings chat lines to everybody", async () => {
    const { ann, bob, settled, end } = await room(make, "ann", "bob")
    ann.seat.chat(ann.ref, "good luck")
    await settled()
    const line = packValue([ServerFrame.chat, "s-ann", "good luck"])
    for (const { got } of [ann, bob]) {
      expect(got.map(([, bytes]) => Buffer.from(bytes as Uint8Array))).toEqual([Buffer.from(line)])
    }
    await end()
  })

  test("[C-410] tells the room whether a client left or was lost, once", async () => {
    const { gate, ann, bob, settled, told, joins, occupancy, end } = await room(make, "ann", "bob")
    ann.seat.exit(ann.ref, true)
    bob.seat.exit(bob.ref, false)
    bob.seat.exit(bob.ref, false)
    await settled()
    expect(told).toEqual([
      ["leave", refOf({ joins })],
      ["drop", refOf({ joins }, 1)]
    ])
    expect([gate.connections, occupancy]).toEqual([0, ["occupied", "dropped"]])
    await end()
  })

  test("[C-410] refuses, lets go and closes with the room's code and reason", async () => {
    const { gate, ann, bob, enter, settled, joins, end } = await room(make, "ann", "bob")
    const late = await enter("late")
    await settled()
    gate.refused(refOf({ joins }, 2), { code: "E_JOIN_REFUSED", message: "no" })
    gate.kick(refOf({ joins }), { code: 4420, reason: "out" })
    gate.closeAll({ code: 1012, reason: "restarting" })
    await settled()
    expect(late?.got).toEqual([["refuse", "E_JOIN_REFUSED"]])
    expect(ann.got).toEqual([["close", 4420, "out"]])
    expect(bob.got).toEqual([["close", 1012, "restarting"]])
    expect(await enter("later")).toBe(null)
    await end()
  })

  test("[C-771] an operator removes a client, which has left the room for good", async () => {
    const { gate, ann, bob, settled, end } = await room(make, "ann", "bob")
    const [first] = gate.clients()
    expect(gate.remove("nobody", { code: 4410, reason: "E_KICKED" })).toBe(false)
    expect(gate.remove(first?.clientId ?? "", { code: 4410, reason: "E_KICKED" })).toBe(true)
    await settled()
    expect([ann.got, bob.got]).toEqual([[["close", 4410, "E_KICKED"]], []])
    expect([gate.players, gate.clients().length]).toEqual([1, 1])
    expect(gate.remove(first?.clientId ?? "", { code: 4410, reason: "E_KICKED" })).toBe(false)
    await end()
  })

  test("[C-410] counts every byte that the room or a client wrote once", async () => {
    const { gate, ann, bob, settled, joins, end } = await room(make, "ann", "bob")
    gate.deliver("all", frame(1, 2, 3))
    gate.deliver([refOf({ joins })], frame(4))
    ann.seat.data(ann.ref, frame(5, 6))
    bob.seat.received(10, bob.ref)
    bob.seat.sent(11, bob.ref)
    await settled()
    await settled()
    expect(gate.egressBytes).toBe(2 * (welcomeHead + 10) + 3 + 3 + 1 + 11)
    expect(gate.ingressBytes).toBe(2 + 10)
    const counted = gate
      .clients()
      .map(({ ingressBytes, egressBytes }) => [ingressBytes, egressBytes])
    const welcome = welcomeHead + 10
    expect(counted).toEqual([
      [2, welcome + 3 + 1],
      [10, welcome + 3 + 11]
    ])
    await end()
  })

  test("[slow.refused-bytes-unbilled] counts no frame that a slow client is refused", async () => {
    const { gate, ann, settled, end } = await room(make, "ann", "bob")
    ann.sink.write = () => false
    gate.deliver("all", frame(1, 2, 3))
    await settled()
    await settled()
    expect(gate.egressBytes).toBe(2 * (welcomeHead + 10) + 3)
    await end()
  })

  test("[C-630] tells the room the place that a match gave the client", async () => {
    const { enter, settled, joins, end } = await room(make, "zoe")
    const match = { queue: "duo", team: null, party: "friends" }
    await enter("ann", { match })
    await settled()
    expect(joins.map((join) => join.match)).toEqual([undefined, match])
    await end()
  })

  test("[C-410] seats the client again after a restart, and keeps its frames meanwhile", async () => {
    const { gate, process, ann, settled, end } = await room(make, "ann")
    gate.detach(process, 250)
    ann.seat.data(ann.ref, frame(8))
    await settled()
    const next = makeProcess()
    gate.attach(next.process)
    expect(next.told.map(([what]) => what)).toEqual(["join", "data"])
    expect(next.joins[0]).toMatchObject({ attachedAs: "s-ann", resumeHash: null })
    gate.joined(next.joins[0]?.ref ?? 0, welcome("s-ann", 9))
    await settled()
    expect(ann.got).toEqual([["welcome", "s-ann", 9, { staleMs: 250 }]])
    await end()
  })

  test("[limits.framesKept] keeps as many frames as a local one", async () => {
    const { gate, process, ann, settled, end } = await room(make, "ann")
    gate.detach(process, 0)
    for (let at = 0; at <= ConnectionLimits.framesKept.max; at++) {
      ann.seat.data(ann.ref, frame(at & 255))
    }
    await settled()
    const next = makeProcess()
    gate.attach(next.process)
    expect(next.told.filter(([what]) => what === "data")).toHaveLength(1024)
    await end()
  })
})

describe.each([
  ["of the client's own runner", localGate],
  ["over a link", () => linkedGate()]
])("a room that moves, the gate %s", (_kind, make) => {
  test("[C-416] takes what came until its clients wait, answers it, and lets them go", async () => {
    const { gate, ann, bob, enter, settled, told, joins, end } = await room(make, "ann", "bob")
    ann.seat.data(ann.ref, frame(1))
    let held = 0
    gate.hold(() => held++)
    expect(await enter("late")).toBe(null)
    await until("both wait", () => held === 1)
    expect(told.map(([what, ref]) => [what, ref])).toEqual([["data", refOf({ joins })]])
    gate.deliver([refOf({ joins })], frame(2))
    gate.moveAll()
    await settled()
    expect(ann.got.map(([what]) => what)).toEqual(["hold", "frame", "moved"])
    expect(bob.got).toEqual([["hold"], ["moved"]])
    expect(gate.connections).toBe(0)
    ann.seat.exit(ann.ref, true)
    await settled()
    expect(told).toHaveLength(1)
    await end()
  })

  test("[C-416] does not wait for a client that goes instead", async () => {
    const { gate, ann, bob, settled, end } = await room(make, "ann", "bob")
    // A local client answers at once, also one that goes.
    ann.sink.hold = (answered) => {
      ann.seat.exit(ann.ref, false)
      if (ann.seat === gate) answered()
    }
    let held = 0
    gate.hold(() => held++)
    await until("the gate waits for nobody", () => held === 1)
    await settled()
    expect([gate.connections, bob.got]).toEqual([1, [["hold"]]])
    await end()
  })
})

test("[C-416] clients of a runner that does not answer get 1012", async () => {
  const { gate, ann, settled, end } = await room(() => linkedGate(), "ann")
  ann.sink.hold = () => undefined
  gate.hold(() => undefined)
  await settled()
  gate.moveAll()
  await settled()
  expect(ann.got).toEqual([["close", 1012, "E_ROOM_RESTARTING"]])
  await end()
})

test("[C-412] every welcome over a link carries a token of its own, whose hash the room has", async () => {
  const { gate, process, joins, ann, settled, end } = await room(() => linkedGate(), "ann")
  const hashes = [joins[0]?.nextResumeHash]
  let running = process
  for (let restart = 0; restart < 4; restart++) {
    gate.detach(running, 0)
    // A process that ends before it has welcomed anybody uses nothing up.
    const early = makeProcess()
    gate.attach(early.process)
    gate.detach(early.process, 0)
    const next = makeProcess()
    gate.attach(next.process)
    running = next.process
    hashes.push(next.joins[0]?.nextResumeHash)
    gate.joined(next.joins[0]?.ref ?? 0, welcome("s-ann"))
    await settled()
  }
  const tokens = ann.welcomes.map(({ resume }) => resume ?? "")
  expect(new Set(tokens).size).toBe(5)
  expect(tokens.map(hashSecretHex)).toEqual(hashes)
  await end()
})

test("[C-412] a room that keeps fields of players loads them on its own runner", async () => {
  const { joins, end } = await room(() => linkedGate({ keepsPlayers: true }), "ann")
  expect(joins[0]?.player).toEqual(new Uint8Array([9]))
  await end()
})

test("[C-707] a client whose stored fields are not for the room hears why, and gets no seat", async () => {
  const player = { _tag: "Refused", code: "E_JOIN_REFUSED", message: "too new" } as const
  const under = await linkedGate({ keepsPlayers: true, player })
  const client = await under.enter("ann")
  await under.settled()
  expect(client?.got).toEqual([["refuse", "E_JOIN_REFUSED"]])
  expect(under.gate.connections).toBe(0)
  await under.end()
})
