import { ClientFrame } from "@atrium/wire/frames/Frame"
import { KiB } from "@atrium/wire/limits/Limit"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"
import { expect, test } from "vitest"

import { makeConnection, makeRoom } from "../testing/ConnectionUnderTest.ts"
import { seatClient } from "../testing/SeatedClient.ts"

const call = (id: number) => packValue([ClientFrame.rpc, id, 0, null])

/** In a room that has asked its clients to wait. */
const held = () => {
  const made = makeConnection()
  made.enter()
  let isHeld = false
  made.gate.hold(() => (isHeld = true))
  expect(isHeld).toBe(true)
  return made
}

test("[C-416] frames wait, and follow the next welcome into the room, once each, chat lines among them", () => {
  const { connection, gate, heard, receive, socket, moves } = held()
  receive(call(1))
  receive(packValue([ClientFrame.rpcResult, 1, true, null]))
  receive(packValue([ClientFrame.chat, "hello"]))
  receive(call(2))
  gate.moveAll()
  receive(call(3))
  expect([heard, moves(), connection.moving]).toEqual([[], 1, true])
  const later: Array<Uint8Array> = []
  const next = makeRoom(later)
  const chats: Array<string> = []
  next.chat = (_ref, text) => void chats.push(text)
  seatClient(connection, next)
  receive(call(4))
  expect(later.map((frame) => [...frame])).toEqual([1, 2, 3, 4].map((id) => [...call(id)]))
  expect([chats, heard, socket.closes]).toEqual([["hello"], [], []])
})

test("[C-416] another session gets no frames of the one before", () => {
  const { connection, gate, receive } = held()
  receive(call(1))
  gate.moveAll()
  const later: Array<Uint8Array> = []
  const next = makeRoom(later)
  seatClient(makeConnection().connection, next)
  seatClient(connection, next)
  expect(later).toEqual([])
  receive(call(2))
  expect(later).toHaveLength(1)
})

test("[limits.handoverWait] without a place after five seconds the client is closed with 1012", () => {
  const { gate, later, waitsMs, socket } = held()
  gate.moveAll()
  expect([waitsMs, socket.closes]).toEqual([[5_000], []])
  for (const act of later) act()
  expect(socket.closes).toEqual([[1012, "E_ROOM_RESTARTING"]])
})

test("[limits.handoverBytes] past 256 KiB of frames that wait the client is closed with 1012", () => {
  const { receive, socket } = held()
  const frame = packValue([ClientFrame.msg, 0, new Uint8Array(64 * KiB)])
  for (let at = 0; at < 3; at++) receive(frame)
  receive(packValue([ClientFrame.msg, 0, new Uint8Array(64 * KiB - 40)]))
  expect(socket.closes).toEqual([])
  receive(frame)
  expect(socket.closes).toEqual([[1012, "E_ROOM_RESTARTING"]])
})

test("[C-416] a client that goes meanwhile leaves the room that it is in, for good or not", () => {
  const { connection, gate, socket } = held()
  socket.emit("close", 1000)
  expect([gate.connections, connection.leftForGood]).toEqual([0, true])
  const other = held()
  other.gate.moveAll()
  other.socket.emit("close", 1006)
  expect([other.connection.leftForGood, other.connection.moving]).toEqual([false, false])
})

test("[C-416] clients of a runner that ends are sent to another one", () => {
  const { gate, leaves, moves, socket } = held()
  leaves()
  gate.moveAll()
  expect([socket.closes, moves()]).toEqual([[[1012, "E_ROOM_RESTARTING"]], 0])
})
