import { unpackValue } from "@atrium/wire/msgpack/MsgpackReader"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"
import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"
import { expect, test } from "vitest"

import { Orders } from "../host/HostOrders.ts"
import { arena, hooksInto, live } from "../testing/TestArena.ts"
import { settle, TestRoom } from "../testing/TestRoom.ts"
import { callService } from "./ServiceCalls.ts"

/** How a call ended so far: its answer, or the code and the message of its refusal. */
const follow = (call: Promise<unknown>): { readonly ends: Array<unknown> } => {
  const ends: Array<unknown> = []
  call.then(
    (answer) => ends.push(answer),
    (error: unknown) => ends.push([Object(error).code, Object(error).message])
  )
  return { ends }
}

const answer = (value: unknown) => ({ _tag: "Answered", value: packValue(value) }) as const
const no = { _tag: "Refused", code: "E_FULL", message: "the board is full" } as const

/** Bytes that msgpack needs beside the content of a binary of this size. */
const BinaryHead = 3

test("[C-309] a call reaches the service by name, and its answer reaches the code that waits", async () => {
  const { room, it } = live()
  const [first, second] = [{ by: 1 }, { by: 2 }].map((payload) =>
    follow(callService(it, "boards.add", payload))
  )
  const asked = room.reports().map(([name, id, request]) => {
    const { payload, ...rest } = Object(request)
    return [name, id, { ...rest, payload: unpackValue(payload) }]
  })
  expect(asked).toEqual([
    ["called", 1, { name: "boards.add", payload: { by: 1 } }],
    ["called", 2, { name: "boards.add", payload: { by: 2 } }]
  ])
  room.order(Orders.callAnswered(2, answer({ place: 7 })))
  await settle()
  expect([first?.ends, second?.ends]).toEqual([[], [{ place: 7 }]])
  room.order(Orders.callAnswered(1, no))
  // An answer that comes twice, or to no call.
  room.order(Orders.callAnswered(1, answer(0)))
  room.order(Orders.callAnswered(99, answer(0)))
  await settle()
  expect(first?.ends).toEqual([["E_FULL", "the board is full"]])
})

test("[C-309] a call of onCreate waits until the room is ready", () => {
  const onCreate = (it: object): void => void callService(it, "boards.add", null)
  const room = new TestRoom(arena, hooksInto([], { onCreate }))
  expect(room.reports().map(([name]) => name)).toEqual(["ready", "called"])
})

test("[C-309] calls wait up to the bound, and one more is refused at once", async () => {
  const { room, it } = live()
  const { max } = RuntimeLimits.roomCallsWaiting
  const calls = Array.from({ length: max + 1 }, () => follow(callService(it, "boards.add", null)))
  await settle()
  expect(calls.slice(0, max).flatMap(({ ends }) => ends)).toEqual([])
  expect(calls[max]?.ends).toEqual([["E_CALL_BUSY", `boards.add: ${max} calls wait already`]])
  expect(room.reports()).toHaveLength(max)
  room.order(Orders.callAnswered(1, no))
  void callService(it, "boards.add", null)
  expect(room.reports()).toHaveLength(1)
})

test("[C-309] a payload and a name at their bounds leave, one byte past them stay", async () => {
  const { room, it } = live()
  const { max } = RuntimeLimits.roomCallBytes
  const longest = "n".repeat(RuntimeLimits.roomCallNameBytes.max)
  void callService(it, longest, new Uint8Array(max - BinaryHead))
  expect(room.reports()).toHaveLength(1)
  const tooLarge = follow(callService(it, "a.b", new Uint8Array(max - BinaryHead + 1)))
  const tooLong = follow(callService(it, `${longest}n`, null))
  const unsendable = follow(callService(it, "a.b", () => 1))
  await settle()
  expect(tooLarge.ends).toEqual([
    ["E_CALL_INVALID", `a.b: a payload of ${max + 1} bytes is over ${max}`]
  ])
  expect(tooLong.ends).toEqual([["E_CALL_UNKNOWN", "a name of 65 bytes is over 64"]])
  expect(unsendable.ends).toEqual([["E_CALL_INVALID", expect.stringMatching(/^a\.b: .*function/)]])
  expect(room.reports()).toEqual([])
})

test("[C-309] onDispose may call; after the last snapshot no code goes on from an answer", async () => {
  const during: Array<unknown> = []
  const { room, it } = live(
    {},
    { onDispose: (ending) => void callService(ending, "boards.add", 2).then(() => during.push(2)) }
  )
  const before = follow(callService(it, "boards.add", 1))
  room.order(Orders.takeSnapshot(1, true))
  expect(room.reports().map(([name]) => name)).toEqual(["called", "called", "snapshot"])
  room.order(Orders.callAnswered(1, answer(1)))
  room.order(Orders.callAnswered(2, answer(2)))
  const after = follow(callService(it, "boards.add", 3))
  await settle()
  expect([before.ends, during]).toEqual([[], []])
  expect(after.ends).toEqual([["E_CALL_FAILED", "boards.add: the room has ended"]])
  expect(room.reports()).toEqual([])
})

test("[C-309] callService refuses an object that is not a room", async () => {
  const { it } = live()
  await expect(callService({ ...it }, "boards.add", null)).rejects.toThrow("is not a room")
})
