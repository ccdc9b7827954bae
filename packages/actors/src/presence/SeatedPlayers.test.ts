import { isProjectId, RoomId, type RoomKey } from "@atrium/domain/shared/Ids"
import { expect, test } from "vitest"

import type { ToldWelcome } from "../rooms/ClientGate.ts"
import { closeFor } from "../rooms/GateListener.ts"
import { RoomGate } from "../rooms/RoomGate.ts"
import { makeClient, makeProcess, entrance, welcome } from "../rooms/testing/FakeGate.ts"
import { Seats, shardOf, subjectOf } from "./SeatedPlayers.ts"

const keyOf = (roomId: string, projectId = "p_00000000000000fe"): RoomKey => {
  if (!isProjectId(projectId)) throw new Error("no project id")
  return { projectId, roomId: RoomId.make(roomId) }
}
const ann = subjectOf("p_00000000000000fe", "ann")

const stage = () => {
  const state = { nowMs: 0, lapsed: false }
  const seats = new Seats(() => state.nowMs)
  const changes: Array<string> = []
  seats.hear(shardOf(ann), (subject) => void changes.push(subject))
  return { state, seats, changes }
}

test("[C-560] a player is in a room from the first device's entry to the last one's exit", () => {
  const { state, seats, changes } = stage()
  const room = seats.room(keyOf("a"), () => false)
  state.nowMs = 5
  room.entered("ann")
  state.nowMs = 9
  room.entered("ann")
  expect(seats.of(ann)).toMatchObject([{ roomId: "a", sinceMs: 5 }])
  room.left("ann")
  expect(seats.of(ann)).toMatchObject([{ roomId: "a", sinceMs: 5 }])
  room.left("ann")
  // An exit that nobody expects changes nothing.
  room.left("ann")
  expect(seats.of(ann)).toEqual([])
  expect([...seats.in(shardOf(ann))]).toEqual([])
  expect(changes).toEqual([ann, ann])
})

test("[C-642] a player who follows a room from another runner is in it since the first of its devices came", () => {
  const { state, seats, changes } = stage()
  const room = seats.room(keyOf("a"), () => false)
  state.nowMs = 9
  expect([room.entered("ann", 7), room.entered("ann", 5), room.entered("ann")]).toEqual([7, 5, 5])
  expect(seats.of(ann)).toMatchObject([{ roomId: "a", sinceMs: 5 }])
  expect(changes).toEqual([ann, ann])
})

test("[C-642] the welcome tells since when the player is in the room, and the entrance of one that follows it", () => {
  const { state, seats } = stage()
  state.nowMs = 9
  const gate = new RoomGate({
    occupancy: () => undefined,
    seats: seats.room(keyOf("a"), () => false)
  })
  gate.attach(makeProcess().process)
  const told: Array<number | undefined> = []
  const { sink } = makeClient("ann")
  const hearing = { ...sink, welcome: ({ sinceMs }: ToldWelcome) => told.push(sinceMs) }
  for (const since of [{}, { sinceMs: 4 }]) {
    const ref = gate.enter(hearing, entrance("ann", since)) ?? 0
    gate.joined(ref, welcome(`s-${ref}`))
  }
  gate.joined(gate.enter(hearing, entrance("eve", { role: "viewer" })) ?? 0, welcome("s-eve"))
  expect(told).toEqual([9, 4, undefined])
})

test("[C-560] a player with a device in each of two rooms is in both; a room of a lapsed lease is left out", () => {
  const { state, seats } = stage()
  const one = seats.room(keyOf("a"), () => state.lapsed)
  seats.room(keyOf("b"), () => false).entered("ann")
  one.entered("ann")
  expect(seats.of(ann).map(({ roomId }) => roomId)).toEqual(["b", "a"])
  state.lapsed = true
  expect(seats.of(ann).map(({ roomId }) => roomId)).toEqual(["b"])
})

test("[C-560] players of the same id in two projects are two players", () => {
  const { seats } = stage()
  seats.room(keyOf("a", "p_11111111111111fe"), () => false).entered("ann")
  expect(seats.of(ann)).toEqual([])
})

test("[C-561] the shard is the last byte of the project's id", () => {
  const shards = ["p_00000000000000fe/x", "p_00000000000000fe", "p_ffffffffffffff00/y", "dev/p_1"]
  expect(shards.map(shardOf)).toEqual([0xfe, 0xfe, 0, 0])
})

test("[C-560] the gate tells of players that the room has let in, and of no viewer", () => {
  const { seats } = stage()
  const listener = { occupancy: () => undefined, seats: seats.room(keyOf("a"), () => false) }
  const gate = new RoomGate(listener)
  const { process } = makeProcess()
  gate.attach(process)
  const enter = (name: string, role = "player"): number => {
    const ref = gate.enter(makeClient(name).sink, entrance(name, { role }))
    if (ref === null) throw new Error("the gate is closed")
    return ref
  }
  const here = () => [...seats.in(shardOf(ann))].map((subject) => subject.split("/")[1])
  const [refA, refB, viewer] = [enter("ann"), enter("bob"), enter("eve", "viewer")]
  expect(here()).toEqual([])
  for (const ref of [refA, refB, viewer]) gate.joined(ref, welcome(`s-${ref}`))
  expect(here()).toEqual(["ann", "bob"])
  // A crash of the room's process and its restart are no exit.
  gate.detach(process, 0)
  gate.attach(process)
  gate.joined(refA, welcome(`s-${refA}`))
  expect(here()).toEqual(["ann", "bob"])
  gate.exit(refA, false)
  gate.exit(refA, false)
  expect(here()).toEqual(["bob"])
  gate.closeAll(closeFor("shutdown"))
  expect(here()).toEqual([])
})
