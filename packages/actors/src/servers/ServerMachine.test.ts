import type { ServerTerms } from "@atrium/domain/projects/ServerSettings"
import { ServerLimits } from "@atrium/domain/servers/ServerLimits"
import { MiB } from "@atrium/wire/limits/Limit"
import { type RoomClass, RoomClasses } from "@atrium/wire/rooms/RoomClass"
import fc from "fast-check"
import { describe, expect, test } from "vitest"

import type { RoomMemory } from "./Pressure.ts"
import {
  emptyServer,
  ServerAction,
  ServerEvent,
  type ServerState,
  step,
  used
} from "./ServerMachine.ts"

const terms: ServerTerms = { plan: "card", roomsMib: 1280 }
const admit = (roomId: string, epoch: number, roomClass: RoomClass = "standard") =>
  ServerEvent.AdmitAsked({
    roomId,
    epoch,
    nth: 0,
    intake: "open" as const,
    class: roomClass,
    terms
  })
const gone = (roomId: string, epoch: number) => ServerEvent.RoomGone({ roomId, epoch })

const after = (...events: ReadonlyArray<ServerEvent>): ServerState =>
  events.reduce<ServerState>((state, event) => step(state, event)[0], emptyServer)

const rooms = (count: number, roomClass: RoomClass, prefix: string = roomClass) =>
  Array.from({ length: count }, (_, index) => admit(`${prefix}${index}`, index + 1, roomClass))

describe("the budget", () => {
  test.each([
    ["budget.standard.awake", "standard", 20],
    ["budget.large.awake", "large", 8],
    ["budget.xlarge.awake", "xlarge", 3]
  ] as const)("[%s] a server takes %s: %i rooms, and not one more", (_id, roomClass, count) => {
    const full = after(...rooms(count, roomClass))
    expect(full.places).toHaveLength(count)
    const [next, actions] = step(full, admit("more", 99, roomClass))
    expect(next).toBe(full)
    expect(actions).toEqual([ServerAction.RefuseFull()])
  })

  test("[budget.mixed-fractions] mixed classes fill it by fractions", () => {
    const full = after(...rooms(10, "standard"), ...rooms(4, "large"))
    expect(used(full)).toBe(120)
    expect(step(full, admit("more", 99))[1]).toEqual([ServerAction.RefuseFull()])
    const close = after(...rooms(2, "xlarge"), ...rooms(2, "large"), ...rooms(1, "standard"))
    expect(used(close)).toBe(116)
    expect(step(close, admit("more", 99))[1]).toEqual([ServerAction.RefuseFull()])
  })
})

describe("a runner that takes no rooms", () => {
  const asked = (
    intake: "open" | "elsewhere" | "closed",
    plan: ServerTerms["plan"],
    roomId = "more"
  ) =>
    step(
      after(admit("a", 1)),
      ServerEvent.AdmitAsked({
        roomId,
        epoch: 9,
        nth: 0,
        class: "standard",
        terms: { ...terms, plan },
        intake
      })
    )[1].map(({ _tag }) => _tag)

  test.each([
    ["open", "card", "Admit"],
    ["open", "free", "Admit"],
    ["elsewhere", "card", "RefuseFull"],
    ["elsewhere", "free", "RefuseCordoned"],
    ["closed", "card", "RefuseCordoned"],
    ["closed", "free", "RefuseCordoned"]
  ] as const)("[C-431] %s, plan %s: %s; a room that restarts is let in", (intake, plan, answer) => {
    expect(asked(intake, plan)).toEqual([answer])
    expect(asked(intake, plan, "a")).toEqual(["Admit"])
  })
})

describe("the start of a server", () => {
  const boots = (state: ServerState, event: ServerEvent): boolean =>
    step(state, event)[1].some(({ _tag }) => _tag === "Boot")

  test("[project.vmMem.next-start] the first room boots it, before it is let in", () => {
    const place = { roomId: "a", epoch: 1, slot: 0, cost: 6 }
    expect(step(emptyServer, admit("a", 1))[1]).toEqual([
      ServerAction.Boot(),
      ServerAction.Admit({ place })
    ])
  })

  test("[project.vmMem.next-start] a server that holds a room goes on as it started", () => {
    const one = after(admit("a", 1))
    expect(boots(one, admit("b", 2))).toBe(false)
    expect(boots(one, admit("a", 2))).toBe(false)
    expect(boots(after(...rooms(2, "standard"), gone("standard0", 1)), admit("b", 3))).toBe(false)
  })

  test("[project.vmMem.next-start] once it is empty its next room is another start", () => {
    expect(boots(after(admit("a", 1), gone("a", 1)), admit("a", 2))).toBe(true)
    // The end of an incarnation that it no longer holds empties nothing.
    expect(boots(after(admit("a", 1), admit("a", 2), gone("a", 1)), admit("b", 3))).toBe(false)
  })
})

describe("the size of a server", () => {
  const sized = (roomId: string, epoch: number, roomsMib: number) =>
    ServerEvent.AdmitAsked({
      roomId,
      epoch,
      nth: 0,
      intake: "open" as const,
      class: "standard",
      terms: { plan: "card", roomsMib }
    })

  test("[budget.sized-for-largest] it is that of the largest room since the server started", () => {
    const [small, large] = [sized("a", 1, 640), sized("b", 2, 1280)]
    expect(after(small, large).roomsMib).toBe(1280)
    expect(after(large, small).roomsMib).toBe(1280)
    expect(after(large, gone("b", 2), small).roomsMib).toBe(640)
  })

  const sampled = (...rooms: ReadonlyArray<RoomMemory>) =>
    ServerEvent.MemorySampled({ nowMs: 0, machine: "calm", yields: false, rooms })
  const most: RoomMemory = { roomId: "a", epoch: 1, bytes: 1280 * MiB, occupied: true, ring: null }
  const place = { roomId: "a", epoch: 1 }

  test("[memory.server.refuses-new] a server near its limit refuses new rooms and admits a restart", () => {
    const near = after(admit("a", 1), sampled(most))
    expect(step(near, admit("b", 2))).toEqual([near, [ServerAction.RefuseNear()]])
    expect(step(near, admit("a", 2))[1].map(({ _tag }) => _tag)).toEqual(["Admit"])
  })

  test("[memory.server.refuses-new] only rooms that the server holds count, each under its epoch", () => {
    const one = after(admit("a", 1), admit("b", 2))
    expect(step(one, sampled({ ...most, roomId: "c" }, { ...most, epoch: 2 }))).toEqual([one, []])
    expect(step(one, sampled(most))[1]).toEqual([ServerAction.RestartRoom(place)])
    const empty = { ...most, occupied: false }
    expect(step(one, sampled(empty))[1]).toEqual([ServerAction.SleepRoom(place)])
    const closing = after(admit("a", 1), ServerEvent.ShutdownAsked())
    expect(step(closing, sampled(most))).toEqual([closing, []])
  })

  test("[C-828] a server near its limit shrinks the footage of its rooms, and takes rooms meanwhile", () => {
    const one = after(admit("a", 1))
    const [shrunk, actions] = step(one, sampled({ ...most, ring: "full" }))
    expect(actions).toEqual([ServerAction.ResizeRing({ ...place, ring: "shrunk" })])
    expect(step(shrunk, admit("b", 2))[1].map(({ _tag }) => _tag)).toEqual(["Admit"])
  })
})

test("[D-46] a closing server refuses every room, restarts too, and still counts rooms that end", () => {
  const closing = after(admit("a", 1), ServerEvent.ShutdownAsked())
  for (const event of [admit("a", 2), admit("b", 3)]) {
    expect(step(closing, event)).toEqual([closing, [ServerAction.RefuseClosing()]])
  }
  expect(step(closing, gone("a", 1))[0]).toEqual({
    places: [],
    closing: true,
    roomsMib: 1280,
    pressure: { _tag: "Calm", restartedAtMs: null }
  })
})

const anyEvent: fc.Arbitrary<ServerEvent> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .record({
        roomId: fc.nat(30).map((id) => `room${id}`),
        epoch: fc.nat(5),
        class: fc.constantFrom<RoomClass>("standard", "standard", "standard", "large", "xlarge")
      })
      .map((it) => ServerEvent.AdmitAsked({ ...it, nth: 0, intake: "open" as const, terms }))
  },
  {
    weight: 3,
    arbitrary: fc
      .record({ roomId: fc.nat(30).map((id) => `room${id}`), epoch: fc.nat(5) })
      .map((it) => ServerEvent.RoomGone(it))
  }
)

interface Taken {
  readonly before: ServerState
  readonly event: ServerEvent
  readonly after: ServerState
  readonly actions: ReadonlyArray<ServerAction>
}

const law = (rule: string, says: string, holds: (taken: Taken) => void): void => {
  test(`[${rule}] ${says}`, () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 120 }), (history) => {
        let before = emptyServer
        for (const event of history) {
          const [state, actions] = step(before, event)
          holds({ before, event, after: state, actions })
          before = state
        }
      })
    )
  })
}

law("D-46", "no history exceeds the budget", ({ after: { places } }) => {
  const sum = places.reduce((total, place) => total + place.cost, 0)
  expect(sum).toBeLessThanOrEqual(ServerLimits.serverBudget.max)
})

law("D-06", "a room has one place and a slot of its own", ({ after: { places } }) => {
  expect(new Set(places.map(({ roomId }) => roomId)).size).toBe(places.length)
  expect(new Set(places.map(({ slot }) => slot)).size).toBe(places.length)
})

law(
  "D-06",
  "a new room gets the lowest free slot, a known one its own",
  ({ before, event, actions }) => {
    const action = actions.at(-1)
    if (event._tag !== "AdmitAsked" || action?._tag !== "Admit") return
    const known = before.places.find(({ roomId }) => roomId === event.roomId)
    const taken = before.places.map(({ slot }) => slot)
    const lowest = Array.from({ length: 21 }, (_, slot) => slot).find(
      (slot) => !taken.includes(slot)
    )
    expect(action.place).toEqual({
      roomId: event.roomId,
      epoch: event.epoch,
      slot: known?.slot ?? lowest,
      cost: known?.cost ?? RoomClasses[event.class].cost
    })
  }
)

law("D-46", "who fits is admitted, who does not is refused and changes nothing", (taken) => {
  const { before, event, after: state, actions } = taken
  if (event._tag !== "AdmitAsked") return
  const known = before.places.some(({ roomId }) => roomId === event.roomId)
  const fits = known || used(before) + RoomClasses[event.class].cost <= 120
  const boot = before.places.length === 0 ? ["Boot"] : []
  expect(actions.map(({ _tag }) => _tag)).toEqual(fits ? [...boot, "Admit"] : ["RefuseFull"])
  if (!fits) expect(state).toBe(before)
})

law(
  "D-14",
  "who goes under another epoch changes nothing",
  ({ before, event, after: state, actions }) => {
    if (event._tag !== "RoomGone") return
    const { roomId, epoch } = event
    const held = before.places.some((place) => place.roomId === roomId && place.epoch === epoch)
    expect(actions).toEqual([])
    if (held) expect(state.places).toHaveLength(before.places.length - 1)
    else expect(state).toBe(before)
  }
)
