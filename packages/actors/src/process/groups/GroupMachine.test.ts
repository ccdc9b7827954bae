import { MiB } from "@atrium/wire/limits/Limit"
import { describe, expect, it } from "vitest"

import {
  GroupAction,
  groupCeilingBytes,
  GroupEvent,
  type Groups,
  groupStep,
  noGroups
} from "./GroupMachine.ts"

const pace = { alonePolls: 6000, emptyPolls: 600 }

/** What follows from events, one after the other. */
const after = (
  events: ReadonlyArray<GroupEvent>,
  from: Groups = noGroups
): { readonly state: Groups; readonly last: ReadonlyArray<GroupAction> } => {
  let state = from
  let last: ReadonlyArray<GroupAction> = []
  for (const event of events) [state, last] = groupStep(state, event, pace)
  return { state, last }
}

const asks = (member: number, kind = "p 1 arena", atPolls = 0): GroupEvent =>
  GroupEvent.RoomAsked({ member, room: `p/r${member}`, kind, atPolls })
const leaves = (member: number, atPolls = 0): GroupEvent =>
  GroupEvent.RoomLeft({ group: 1, member, atPolls })
const fails = (group: number, atPolls = 0): GroupEvent => GroupEvent.GroupFailed({ group, atPolls })
const polls = (atPolls: number): GroupEvent => GroupEvent.Polled({ atPolls })

const numbers = (to: number): ReadonlyArray<number> => Array.from({ length: to }, (_, at) => at + 1)
const groupsOf = ({ state }: { readonly state: Groups }) =>
  state.groups.map(({ group, members }) => [group, members.map(({ member }) => member)])

describe("rooms that share a process", () => {
  it("[C-971] gives the first room of a kind a process, and the next ones the same", () => {
    expect(after([asks(1)]).last).toEqual([
      GroupAction.StartGroup({ group: 1 }),
      GroupAction.Resize({ group: 1, rooms: 1 }),
      GroupAction.Enter({ group: 1, member: 1 })
    ])
    expect(after([asks(1), asks(2)]).last).toEqual([
      GroupAction.Resize({ group: 1, rooms: 2 }),
      GroupAction.Enter({ group: 1, member: 2 })
    ])
  })

  it("[C-971] puts 20 rooms into a process, and the next one into another", () => {
    const full = after(numbers(20).map((member) => asks(member)))
    expect(groupsOf(full)).toEqual([[1, numbers(20)]])
    expect(groupsOf(after([asks(21)], full.state))).toEqual([
      [1, numbers(20)],
      [2, [21]]
    ])
    // The place of a room that has left is the first to be taken.
    expect(after([asks(21), leaves(7), asks(22)], full.state).last).toContainEqual(
      GroupAction.Enter({ group: 1, member: 22 })
    )
  })

  it("[C-970] never puts rooms of two projects, versions or types into one process", () => {
    const kinds = ["p 1 arena", "q 1 arena", "p 2 arena", "p 1 duel"]
    const all = after(kinds.map((kind, at) => asks(at + 1, kind)))
    expect(groupsOf(all)).toEqual([
      [1, [1]],
      [2, [2]],
      [3, [3]],
      [4, [4]]
    ])
  })

  it("[C-973] ends a process that fails; its rooms are alone for ten minutes, and none is counted", () => {
    const { state, last } = after([asks(1), asks(2), fails(1, 100)])
    expect(last).toEqual([GroupAction.EndGroup({ group: 1, counts: false })])
    expect(state.groups).toEqual([])
    expect(after([asks(1, "p 1 arena", 6099)], state).last).toEqual([GroupAction.RunAlone()])
    expect(after([asks(2, "p 2 arena", 6099)], state).last).toEqual([GroupAction.RunAlone()])
    expect(groupsOf(after([asks(3, "p 1 arena", 6099)], state))).toEqual([[2, [3]]])
    expect(groupsOf(after([asks(1, "p 1 arena", 6100)], state))).toEqual([[2, [1]]])
  })

  it("[C-973] counts what a process does against its only room, which is alone from then on, too", () => {
    const { state, last } = after([asks(1), asks(2), leaves(2), fails(1, 100)])
    expect(last).toEqual([GroupAction.EndGroup({ group: 1, counts: true })])
    expect(after([asks(1, "p 1 arena", 200)], state).last).toEqual([GroupAction.RunAlone()])
    expect(groupsOf(after([asks(2, "p 1 arena", 200)], state))).toEqual([[2, [2]]])
  })

  it("[C-973] forgets the rooms that may share again", () => {
    const { state } = after([asks(1), fails(1, 100)])
    expect(after([polls(6099)], state).state.aloneUntilPolls.size).toBe(1)
    expect(after([polls(6100)], state).state.aloneUntilPolls.size).toBe(0)
  })

  it("[C-975] keeps a process without rooms for a minute", () => {
    const { state } = after([asks(1), leaves(1, 50)])
    expect(after([polls(649)], state)).toEqual({ state, last: [] })
    expect(after([polls(650)], state).last).toEqual([
      GroupAction.EndGroup({ group: 1, counts: false })
    ])
    expect(after([polls(650)], state).state.groups).toEqual([])
    expect(after([asks(2), polls(650)], state).last).toEqual([])
  })

  it("[C-971] does nothing about a process or a room that it does not know", () => {
    const { state } = after([asks(1)])
    for (const event of [
      fails(2),
      leaves(2),
      GroupEvent.RoomLeft({ group: 3, member: 1, atPolls: 0 })
    ]) {
      expect(groupStep(state, event, pace)).toEqual([state, []])
    }
  })

  it("[C-972] has nine tenths of the ceilings of its rooms, and one room its own", () => {
    expect([0, 1, 2, 20].map((rooms) => groupCeilingBytes(rooms) / MiB)).toEqual(
      [64, 64, 115.2, 1152].map((mib) => Math.floor(mib * MiB) / MiB)
    )
  })
})
