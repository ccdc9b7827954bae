import { Limits } from "@atrium/domain/Limits"
import fc from "fast-check"
import { expect, test } from "vitest"

import {
  isKept,
  type RoomAction,
  RoomEvent,
  type RoomKind,
  RoomState,
  step
} from "./RoomMachine.ts"

const kind: RoomKind = { type: "arena", class: "large", version: 2 }
const epoch = fc.nat(6)
const nowMs = fc.nat(200_000)

const anyEvent: fc.Arbitrary<RoomEvent> = fc.oneof(
  fc
    .record({
      type: fc.constantFrom("arena", "arena", "chess", null),
      kind: fc.constantFrom(kind, kind, null),
      create: fc.boolean()
    })
    .map((it) => RoomEvent.WakeAsked(it)),
  { weight: 3, arbitrary: epoch.map((it) => RoomEvent.EpochClaimed({ epoch: it })) },
  {
    weight: 3,
    arbitrary: fc.record({ epoch, slot: fc.nat(19) }).map((it) => RoomEvent.Started(it))
  },
  epoch.map((it) => RoomEvent.ServerFull({ epoch: it })),
  epoch.map((it) => RoomEvent.ServerRefused({ epoch: it })),
  fc.record({ epoch, nowMs }).map((it) => RoomEvent.StartFailed({ ...it, message: "boom" })),
  { weight: 3, arbitrary: fc.record({ epoch, nowMs }).map((it) => RoomEvent.ProcessExited(it)) },
  fc
    .record({ epoch, reason: fc.constantFrom("empty" as const, "redeploy" as const) })
    .map((it) => RoomEvent.DrainAsked(it)),
  fc.record({ epoch, clientsBack: fc.boolean() }).map((it) => RoomEvent.Drained(it)),
  fc.boolean().map((held) => RoomEvent.Revived({ held }))
)

interface Taken {
  readonly before: RoomState
  readonly event: RoomEvent
  readonly after: RoomState
  readonly actions: ReadonlyArray<RoomAction>
}

const walk = (history: ReadonlyArray<RoomEvent>): ReadonlyArray<Taken> => {
  let state: RoomState = RoomState.Absent()
  return history.map((event) => {
    const before = state
    const [after, actions] = step(before, event)
    state = after
    return { before, event, after, actions }
  })
}

/** The law holds for every step of every history; a machine that throws breaks all of them. */
const law = (rule: string, says: string, holds: (taken: Taken) => void): void => {
  test(`[${rule}] ${says}`, () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 80 }), (history) => {
        for (const taken of walk(history)) holds(taken)
      }),
      { numRuns: 300 }
    )
  })
}

const epochOf = (state: RoomState): number | null => ("at" in state ? state.at.epoch : null)
const resting = (state: RoomState): boolean =>
  state._tag === "Absent" || state._tag === "Hibernated" || state._tag === "Closed"
const tags = (actions: ReadonlyArray<RoomAction>) => actions.map(({ _tag }) => _tag)

law(
  "D-14",
  "a wake that is refused leaves the very same state",
  ({ before, event, after, actions }) => {
    if (event._tag === "WakeAsked" && tags(actions).includes("Refuse")) expect(after).toBe(before)
  }
)

law(
  "D-14",
  "every wake is answered, refused, or sets out to claim an epoch",
  ({ event, actions }) => {
    if (event._tag !== "WakeAsked") return
    expect(actions).toHaveLength(1)
    expect(["Answer", "Refuse", "ClaimEpoch"]).toContain(actions[0]?._tag)
  }
)

law("D-14", "epochs only grow, and only by a claim", ({ before, event, after }) => {
  const [from, to] = [epochOf(before), epochOf(after)]
  if (from === null || to === null || from === to) return
  expect(event._tag).toBe("EpochClaimed")
  expect(to).toBeGreaterThan(from)
})

law("D-14", "an event of another epoch changes nothing", ({ before, event, after, actions }) => {
  if (!("epoch" in event) || event._tag === "EpochClaimed") return
  if (event.epoch === epochOf(before)) return
  expect(after).toBe(before)
  expect(actions).toEqual([])
})

law("D-14", "orders are about the epoch that the room has or had", ({ before, after, actions }) => {
  for (const action of actions) {
    if ("at" in action) expect([epochOf(before), epochOf(after)]).toContain(action.at.epoch)
    if (action._tag === "StartRoom" || action._tag === "RestartRoom" || action._tag === "Answer") {
      expect("at" in after && after.at).toEqual(action.at)
    }
  }
})

law("D-14", "who enters a waiting state orders what it waits for", ({ before, after, actions }) => {
  if (after === before) return
  const orders = new Map<string, RoomAction["_tag"]>([
    ["Placing", "ClaimEpoch"],
    ["Starting", "StartRoom"],
    ["Draining", "DrainRoom"],
    ["Restarting", epochOf(before) === epochOf(after) ? "ClaimEpoch" : "RestartRoom"]
  ])
  const order = orders.get(after._tag)
  if (order !== undefined) expect(tags(actions)).toEqual([order])
  else for (const tag of tags(actions)) expect(["Answer", "Refuse", "CloseRoom"]).toContain(tag)
})

/** What the order of a waiting state may answer with; each leaves the state or moves its wait on. */
const answersTo = (state: RoomState): ReadonlyArray<RoomEvent> => {
  switch (state._tag) {
    case "Absent":
    case "Hibernated":
    case "Closed":
    case "Awake":
      return []
    case "Placing":
      return [RoomEvent.EpochClaimed({ epoch: 9 })]
    case "Draining":
      return [true, false].map((clientsBack) =>
        RoomEvent.Drained({ epoch: state.at.epoch, clientsBack })
      )
    case "Starting":
    case "Restarting": {
      const at = { epoch: state.at.epoch }
      return [
        RoomEvent.Started({ ...at, slot: 0 }),
        RoomEvent.ServerFull(at),
        RoomEvent.ServerRefused(at),
        RoomEvent.StartFailed({ ...at, nowMs: 0, message: "boom" })
      ]
    }
  }
}

law("D-14", "a waiting state is left by each of its own answers", ({ after }) => {
  for (const answer of answersTo(after)) {
    const [next, actions] = step(after, answer)
    expect(next).not.toBe(after)
    // A failed restart and a full server wait on, each with a new order under way.
    if (next._tag === after._tag) {
      expect(tags(actions)).toEqual([next._tag === "Starting" ? "StartRoom" : "ClaimEpoch"])
    }
  }
})

test("[D-46] the last server being full ends the search", () => {
  let state: RoomState = RoomState.Starting({
    at: { ...kind, epoch: 1, serverIndex: 0 },
    stored: true
  })
  const tried = new Set<number>()
  while (state._tag === "Starting") {
    tried.add(state.at.serverIndex)
    state = step(state, RoomEvent.ServerFull({ epoch: 1 }))[0]
  }
  expect(tried.size).toBe(Limits.serversPerProject.max)
  expect(state._tag).toBe("Hibernated")
})

law("D-14", "a room that no server holds rests after it is revived", ({ after }) => {
  const [next, actions] = step(after, RoomEvent.Revived({ held: false }))
  expect(resting(next)).toBe(true)
  expect(actions).toEqual([])
})

law("D-14", "a room that a server holds is awake, drains, or frees its place", ({ after }) => {
  const [next, actions] = step(after, RoomEvent.Revived({ held: true }))
  if (next._tag === "Draining") return expect(tags(actions)).toEqual(["DrainRoom"])
  expect(resting(next) || next._tag === "Awake").toBe(true)
  if ("at" in after && resting(next)) expect(tags(actions)).toEqual(["CloseRoom"])
})

law("D-22", "fewer restarts are kept than close a room", ({ after }) => {
  if ("restarts" in after) expect(after.restarts.length).toBeLessThan(Limits.restarts.max)
})

law("D-14", "a room that has been awake is never forgotten", ({ before, after }) => {
  if (["Awake", "Draining", "Restarting", "Hibernated", "Closed"].includes(before._tag)) {
    expect(after._tag).not.toBe("Absent")
  }
})

law("D-14", "a room keeps its type until it is forgotten", ({ before, after }) => {
  const typeOf = (state: RoomState) =>
    "type" in state ? state.type : "at" in state ? state.at.type : null
  if (typeOf(before) !== null && after._tag !== "Absent" && after._tag !== "Placing") {
    expect(typeOf(after)).toBe(typeOf(before))
  }
})

law("D-14", "neither a state that no row holds nor the row's own holds a place then", (taken) => {
  const { before, after } = taken
  if (isKept(after)) return
  expect("at" in after).toBe(false)
  if (isKept(before)) expect("at" in before).toBe(false)
})
