import { AudienceLimits } from "@atrium/domain/audience/AudienceLimits"
import { RelayLimits } from "@atrium/domain/relay/RelayLimits"
import { readSave } from "@atrium/runtime/room/ReadSave"
import { joinOf } from "@atrium/runtime/testing/TestOrders"
import { ClientFrame, ServerFrame } from "@atrium/wire/frames/Frame"
import { defineSchema, s } from "@atrium/wire/schema"
import fc from "fast-check"
import { describe, expect, test } from "vitest"

import { decodeRelaySnapshot } from "./RelaySnapshot.ts"
import { makeStage } from "./testing/RelayStage.ts"

const board = defineSchema({
  type: "board",
  singletons: { topic: { title: s.string(16) } },
  entities: { shapes: { x: s.u8(), label: s.string(8) }, blobs: { data: s.bytes(60_000) } },
  messages: { shout: { text: s.string(8) } }
})

type Stage = ReturnType<typeof makeStage>

const add = (x = 0) => ({ op: "add", c: "shapes", v: { x } })
const set = (k: number, x: number) => ({ op: "set", c: "shapes", k, v: { x } })

describe("a turn of the room", () => {
  test("[D-24] sends the writes of a turn as one patch, and each answer after it", () => {
    const stage = makeStage(board)
    const [ann, bob] = [stage.join("ann"), stage.join("bob")]
    stage.send(ann, ClientFrame.write, 1, [add(1)])
    stage.send(bob, ClientFrame.write, 1, [add(2)])
    stage.send(bob, ClientFrame.write, 2, [add(3)])
    expect([ann.take(), bob.take()]).toEqual([[], []])
    stage.port.turn()
    const patch = [ServerFrame.patch, 1, expect.anything()]
    expect(ann.take()).toEqual([patch, [ServerFrame.ack, 1, [1]]])
    expect(bob.take()).toEqual([patch, [ServerFrame.ack, 1, [2]], [ServerFrame.ack, 2, [3]]])
    expect(ann.full).toEqual(bob.full)
  })

  test("[D-24] acknowledges a write that changes nothing, without a patch", () => {
    const stage = makeStage(board)
    const ann = stage.join()
    expect(stage.write(ann, add(1))).toEqual([1])
    ann.take()
    expect(stage.write(ann, set(1, 1))).toEqual([])
    expect(ann.take()).toEqual([[ServerFrame.ack, 1, []]])
  })

  test("[D-24] gives a client that joins in the middle of a turn the turn's changes once", () => {
    const stage = makeStage(board)
    const ann = stage.join("ann")
    stage.send(ann, ClientFrame.write, 1, [add(1)])
    const bob = stage.join("bob")
    expect(bob.take()).toEqual([])
    expect(bob.state).toEqual(ann.state)
    expect(stage.write(ann, set(1, 9))).toEqual([])
    expect(bob.full).toEqual(ann.full)
  })

  test("[D-24] answers a join after its caller has returned; the client's frames wait for the answer", () => {
    const stage = makeStage(board)
    const request = joinOf(90, { sessionId: "late", playerId: "p", nextResumeHash: "h" })
    const ann = stage.join("ann")
    stage.room.join(request)
    stage.send(ann, ClientFrame.send, null, 1)
    stage.room.join({ ...request, ref: 91, sessionId: "gone" })
    stage.room.drop(91)
    stage.send({ ref: 90 }, ClientFrame.send, ["late", "gone", ann.id], 2)
    stage.port.turn()
    expect(ann.take()).toEqual([[ServerFrame.sent, "late", 2]])
  })
})

describe("what clients send", () => {
  const data = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.oneof(fc.constant(null), fc.boolean(), fc.maxSafeInteger(), fc.string()),
      fc.oneof(
        fc.uint8Array(),
        fc.array(tie("value")),
        fc.dictionary(
          fc.string().filter((key) => key !== "__proto__"),
          tie("value"),
          { noNullPrototype: true }
        )
      )
    )
  })).value

  test("[D-24] arrives unchanged, at the clients that it names and at no other", () => {
    fc.assert(
      fc.property(data, fc.subarray([0, 1, 2, 3]), fc.boolean(), (value, named, all) => {
        const stage = makeStage(board)
        const clients = ["a", "b", "c", "d"].map((name) => stage.join(name))
        const [ann] = clients
        if (ann === undefined) throw new Error("nobody is there")
        const ids = named.map((place) => clients[place]?.id)
        stage.send(ann, ClientFrame.send, all ? null : [...ids, "nobody", ...ids], value)
        stage.port.turn()
        for (const [place, client] of clients.entries()) {
          const gets = all ? place > 0 : named.includes(place)
          expect(client.take()).toEqual(gets ? [[ServerFrame.sent, ann.id, value]] : [])
        }
      }),
      { numRuns: 200 }
    )
  })

  test.each([
    ["no data", [ClientFrame.send, null], [27, "session-1", null]],
    ["no fields", [ClientFrame.send], [27, "session-1", null]],
    ["fields of later versions", [ClientFrame.send, null, 5, { more: 1 }, 2], [27, "session-1", 5]]
  ])("[D-24] passes on a send with %s", (_, frame, got) => {
    const stage = makeStage(board)
    const [ann, bob] = [stage.join("ann"), stage.join("bob")]
    stage.send(ann, ...frame)
    expect(bob.take()).toEqual([got])
  })

  test.each([
    ["a text for whom", [ClientFrame.send, "bob", 1]],
    ["numbers for whom", [ClientFrame.send, [1], 1]]
  ])("[D-24] refuses a send with %s", (_, frame) => {
    const stage = makeStage(board)
    const [ann, bob] = [stage.join("ann"), stage.join("bob")]
    stage.send(ann, ...frame)
    expect([ann.take(), bob.take()]).toMatchObject([[{ 0: 21, 1: "E_BAD_MESSAGE" }], []])
  })

  test("[limits.relay.message-size] takes a frame of 64 KB with its envelope, and not one byte more", () => {
    const stage = makeStage(board)
    const [ann, bob] = [stage.join("ann"), stage.join("bob")]
    // Four bytes of head, three of the length: 93 0a c0 c5 ff ff.
    const bin = (bytes: number) => Buffer.alloc(bytes)
    const fits = RelayLimits.relayFrameBytes.max - 6
    stage.send(ann, ClientFrame.send, null, bin(fits))
    expect(bob.take()).toMatchObject([{ 0: ServerFrame.sent }])
    stage.send(ann, ClientFrame.send, null, bin(fits + 1))
    expect([ann.take(), bob.take()]).toEqual([
      [[21, "E_WRITE_REJECTED", expect.any(String), null]],
      []
    ])
    const large = { op: "add", c: "blobs", v: { data: bin(60_000) } }
    stage.send(ann, ClientFrame.write, 77, [large, { ...large, v: { data: bin(6_000) } }])
    stage.send(ann, ClientFrame.own, "x".repeat(RelayLimits.relayFrameBytes.max), 1)
    expect(ann.take()).toEqual([
      [21, "E_WRITE_REJECTED", expect.any(String), 77],
      [21, "E_WRITE_REJECTED", expect.any(String), null]
    ])
  })

  test("[limits.relay.write-ops] refuses a write of more ops than can ever pass unread", () => {
    const stage = makeStage(board)
    const ann = stage.join()
    const { burst } = RelayLimits.relayWriteOps
    stage.send(
      ann,
      ClientFrame.write,
      3,
      Array.from({ length: burst + 1 }, () => "no op")
    )
    stage.send(
      ann,
      ClientFrame.write,
      4,
      Array.from({ length: burst }, () => "no op")
    )
    expect(ann.take()).toEqual([
      [21, "E_WRITE_RATE", expect.any(String), 3],
      [21, "E_WRITE_REJECTED", expect.any(String), 4]
    ])
  })

  test("[limits.relay.bytes.burst] [error.rate-limited.sender-told-once] answers excess sends once, and excess writes each time", () => {
    const stage = makeStage(board)
    const [ann, bob] = [stage.join("ann"), stage.join("bob")]
    const send = (times: number) => {
      for (let at = 0; at < times; at++)
        stage.send(ann, ClientFrame.send, null, Buffer.alloc(65_530 - 8))
    }
    send(16)
    expect(bob.take()).toHaveLength(16)
    send(3)
    stage.send(ann, ClientFrame.write, 5, [
      add(),
      { op: "add", c: "blobs", v: { data: Buffer.alloc(500) } }
    ])
    stage.send(ann, ClientFrame.write, 6, [
      add(),
      { op: "add", c: "blobs", v: { data: Buffer.alloc(500) } }
    ])
    const refused = (re: number | null) => [21, "E_RATE_LIMITED", expect.any(String), re]
    expect(ann.take()).toEqual([refused(null), refused(5), refused(6)])
    expect(bob.take()).toEqual([])
    stage.port.advance(1000)
    send(3)
    expect(bob.take()).toHaveLength(3)
    send(3)
    expect(bob.take()).toHaveLength(1)
    expect(ann.take()).toEqual([refused(null)])
  })

  test("[limits.audience.msg.burst] lets a viewer send ten messages at once, refuses more of them once, and sends it all others", () => {
    const stage = makeStage(board)
    const [ann, vic] = [stage.join("ann"), stage.join("vic", { role: "audience" })]
    const { burst } = AudienceLimits.audienceMessages
    for (let at = 0; at < burst + 3; at++) stage.send(vic, ClientFrame.send, null, at)
    expect(ann.take()).toHaveLength(burst)
    expect(vic.take()).toEqual([[21, "E_RATE_LIMITED", expect.any(String), null]])
    stage.port.advance(500)
    stage.send(vic, ClientFrame.send, null, "later")
    expect(ann.take()).toEqual([[27, vic.id, "later"]])
    stage.send(ann, ClientFrame.send, null, "hi")
    expect(vic.take()).toEqual([[27, ann.id, "hi"]])
    expect(stage.write(vic, add())).toBe("E_WRITE_REJECTED")
    expect(stage.write(ann, add())).toEqual([1])
    expect(vic.full).toEqual(ann.full)
  })

  test("[D-24] stays up after arbitrary bytes of a client, and sends no client a broken frame", () => {
    const stage = makeStage(board)
    const [ann, bob] = [stage.join("ann"), stage.join("bob")]
    const types = Object.values(ClientFrame)
    fc.assert(
      fc.property(fc.constantFrom(...types), fc.uint8Array({ maxLength: 60 }), (type, rest) => {
        stage.room.data(ann.ref, Uint8Array.from([0x90 + 3, type, ...rest]))
        // The stage reads every frame that anybody gets.
        stage.port.advance(1000)
      }),
      { numRuns: 2000 }
    )
    expect(stage.told.filter(([what]) => what === "exited")).toEqual([])
    expect(bob.full).toEqual(ann.full)
  })
})

describe("the life of the room", () => {
  test("[D-24] keeps a dropped client's session and records for as long as the room type says", () => {
    const stage = makeStage(board, { reconnectForMs: 1000 })
    const [ann, bob] = [stage.join("ann"), stage.join("bob")]
    stage.write(ann, add(1))
    stage.drop(ann)
    stage.port.advance(999)
    const back = stage.join("ann", { resume: ann.resumeHash })
    expect([back.id, back.resumed]).toEqual([ann.id, true])
    expect(stage.write(back, set(1, 2))).toEqual([])
    stage.drop(back)
    stage.send(bob, ClientFrame.own, "shapes", 1)
    stage.port.advance(999)
    expect(bob.take().filter(([type]) => type === ServerFrame.ownResult)).toEqual([])
    stage.port.advance(1)
    expect(bob.take()).toContainEqual([ServerFrame.ownResult, "shapes", 1, true])
    const late = stage.join("ann", { resume: back.resumeHash })
    expect([late.resumed, late.id]).toEqual([false, `session-${late.ref}`])
    expect(stage.write(late, set(1, 3))).toBe("E_NOT_OWNER")
  })

  test("[D-24] closes the older connection of a session that is resumed twice", () => {
    const stage = makeStage(board)
    const ann = stage.join("ann")
    const back = stage.join("ann", { resume: ann.resumeHash })
    expect(ann.end).toEqual(["kicked", 1000, "resumed elsewhere"])
    stage.send(ann, ClientFrame.send, null, 1)
    expect([back.id, back.take()]).toEqual([ann.id, []])
  })

  test("[limits.relay.ownership-timeout] measures the time for an answer on the service's clock", () => {
    const stage = makeStage(board)
    const [ann, bob] = [stage.join("ann"), stage.join("bob")]
    stage.write(ann, add())
    stage.send(bob, ClientFrame.own, "shapes", 1)
    stage.port.turn()
    expect(ann.take().at(-1)).toEqual([ServerFrame.ownAsk, 1, "shapes", 1, bob.id])
    bob.take()
    stage.room.clockMoved(1_000_000 + RelayLimits.relayOwnershipAnswer.ms - 1, false)
    stage.port.advance(60_000)
    expect(bob.take()).toEqual([])
    stage.room.clockMoved(1_000_000 + RelayLimits.relayOwnershipAnswer.ms, false)
    stage.port.advance(0)
    expect(bob.take()).toEqual([[ServerFrame.ownResult, "shapes", 1, false]])
  })

  test("[D-48] stores the state, the sessions, the owners of records and the next ids", () => {
    const stage = makeStage(board, { alarms: [{ name: "left by code", atMs: 5 }] })
    expect(stage.told).toEqual([["ready"], ["alarms", []]])
    const [ann, bob] = [stage.join("ann"), stage.join("bob")]
    stage.write(ann, add(1), add(2), { op: "set", c: "topic", k: 0, v: { title: "hi" } })
    stage.write(bob, add(3), { op: "remove", c: "shapes", k: 3 })
    stage.leave(bob)
    expect(stage.told.filter(([what]) => what === "changed")).toHaveLength(1)
    const bytes = stage.snapshot(true)
    expect(JSON.parse(JSON.stringify(readSave(board, bytes).state))).toEqual(ann.state)
    // Nothing moves after the last one.
    expect(stage.write(ann, add(9))).toBeUndefined()

    const again = makeStage(board, { snapshot: bytes })
    const back = again.join("ann", { resume: ann.resumeHash })
    expect([back.id, back.resumed, back.state]).toEqual([ann.id, true, ann.state])
    const cyd = again.join("cyd")
    expect(again.write(cyd, set(1, 7))).toBe("E_NOT_OWNER")
    expect(again.write(back, set(1, 7))).toEqual([])
    expect(again.write(cyd, add())).toEqual([4])
    expect(cyd.state).toEqual(back.state)

    // A session whose client does not come back ends after its time.
    const late = makeStage(board, { snapshot: bytes })
    expect(decodeRelaySnapshot(late.snapshot()).owners).toHaveLength(2)
    late.port.advance(1000)
    expect(decodeRelaySnapshot(late.snapshot()).owners).toEqual([])
  })

  test("[C-256] reports a change when a record has another owner, so that the next snapshot has it", () => {
    const stage = makeStage(board)
    const [ann, bob] = [stage.join("ann"), stage.join("bob")]
    stage.write(ann, add(1))
    stage.snapshot()
    stage.told.splice(0)
    stage.send(bob, ClientFrame.own, "shapes", 1)
    stage.port.turn()
    expect(stage.told).toEqual([])
    stage.send(ann, ClientFrame.ownAnswer, 1, true)
    stage.port.turn()
    expect(stage.told).toEqual([["changed"]])
    expect(decodeRelaySnapshot(stage.snapshot()).owners).toEqual([["shapes", 1, bob.id]])
    // The record of a client that left has no owner.
    stage.leave(bob)
    expect(decodeRelaySnapshot(stage.snapshot()).owners).toEqual([])
  })

  test("[C-15] knows its clients after a restart by the sessions that they had", () => {
    const stage = makeStage(board)
    const ann = stage.join("ann")
    stage.write(ann, add(1))
    const again = makeStage(board, { snapshot: stage.snapshot(), ids: "again" })
    const other = again.join("bob", { attachedAs: ann.id })
    expect([other.id, other.resumed]).toEqual([`again-${other.ref}`, false])
    const back = again.join("ann", { attachedAs: ann.id })
    expect([back.id, back.resumed, back.state]).toEqual([ann.id, true, ann.state])
    expect(again.write(back, set(1, 2))).toEqual([])
    // What the room had not stored is a new session.
    const late = again.join("cyd", { attachedAs: "session-77" })
    expect([late.id, late.resumed]).toEqual([`again-${late.ref}`, false])
  })

  test("[D-24] ends at its start when the stored bytes are no state of its schema", () => {
    const other = defineSchema({ type: "board", entities: { shapes: { label: s.string(200) } } })
    const stage = makeStage(other)
    stage.write(stage.join(), { op: "add", c: "shapes", v: { label: "x".repeat(99) } })
    for (const snapshot of [stage.snapshot(), new Uint8Array([1, 2, 3])]) {
      expect(makeStage(board, { snapshot }).told).toEqual([["exited", "code"]])
    }
  })

  test("[D-24] reports its end once, and nothing after it", () => {
    const stage = makeStage(board)
    const ann = stage.join()
    stage.send(ann, ClientFrame.write, 1, [add()])
    stage.room.kill("stopped")
    stage.room.kill("killed")
    stage.port.advance(60_000)
    expect(stage.told.at(-1)).toEqual(["exited", "stopped"])
    expect([ann.take(), stage.write(ann, add()), stage.join().id]).toEqual([[], undefined, ""])
  })

  test.each([
    ["in a frame of a client", (stage: Stage, ref: number) => stage.send({ ref }, 10, null, 1)],
    ["at the end of a turn", (stage: Stage, ref: number) => stage.send({ ref }, 7, 1, [add()])],
    ["at a moment that is due", (stage: Stage, ref: number) => stage.send({ ref }, 8, "shapes", 1)]
  ])("[D-22] ends, and ends nothing else, after a fault of its own %s", (_, act) => {
    let faulty = false
    const fault = () => {
      if (faulty) throw new Error("a fault")
    }
    const stage = makeStage(board, { fault, reconnectForMs: 60_000 })
    const [ann, bob] = [stage.join("ann"), stage.join("bob")]
    stage.write(ann, add())
    stage.drop(ann)
    faulty = true
    stage.join("cyd")
    act(stage, bob.ref)
    stage.port.advance(10_000)
    const [log, exited] = stage.told.slice(-2)
    expect([log?.[1], exited]).toEqual(["error", ["exited", "crashed"]])
    expect(stage.told.filter(([what]) => what === "exited")).toHaveLength(1)
  })

  test("[D-43] [limits.audience.seats] tells a refused client which seats are taken", () => {
    const stage = makeStage(board, { seats: { players: 1, viewers: 1 } })
    stage.join("ann")
    expect(stage.join("bob").end).toEqual(["refused", "E_ROOM_FULL"])
    stage.join("vic", { role: "audience" })
    expect(stage.join("wes", { role: "audience" }).end).toEqual(["refused", "E_AUDIENCE_FULL"])
  })
})
