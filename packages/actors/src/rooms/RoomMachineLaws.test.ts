import { ClosingLimits } from "@atrium/wire/frames/ClosingLimits"
import fc from "fast-check"
import { expect, test } from "vitest"

import { step } from "./RoomMachine.ts"
import {
  isKept,
  placeOf,
  RoomAction,
  RoomEvent,
  type RoomKind,
  RoomState,
  typeOf,
  StopReasons
} from "./RoomState.ts"

const kind: RoomKind = { type: "arena", class: "large", version: 2 }
const epoch = fc.nat(6)
const nowMs = fc.nat(200_000)

const save = { version: 1, saveId: "sv_1" }
const deleteAsked = (force: boolean) => RoomEvent.DeleteAsked({ force, relay: false })

const anyEvent: fc.Arbitrary<RoomEvent> = fc.oneof(
  fc
    .record({
      type: fc.constantFrom("arena", "arena", "chess", null),
      kind: fc.constantFrom(kind, kind, null),
      wall: fc.constantFrom(null, null, { meter: "roomHours" as const, cap: 100, endMs: 0 }),
      create: fc.boolean()
    })
    .map((it) => RoomEvent.WakeAsked(it)),
  { weight: 3, arbitrary: epoch.map((it) => RoomEvent.EpochClaimed({ epoch: it })) },
  {
    weight: 3,
    arbitrary: fc.record({ epoch, serverIndex: fc.nat(2) }).map((it) => RoomEvent.Placed(it))
  },
  {
    weight: 3,
    arbitrary: fc.record({ epoch, slot: fc.nat(19) }).map((it) => RoomEvent.Started(it))
  },
  fc.record({ epoch, next: fc.constantFrom(0, 1, 2, null) }).map((it) => RoomEvent.ServerFull(it)),
  epoch.map((it) => RoomEvent.ServerRefused({ epoch: it })),
  epoch.map((it) => RoomEvent.ServerWaking({ epoch: it, message: "near its limit" })),
  fc
    .record(
      { epoch, nowMs, quarantined: fc.constantFrom(2, 3) },
      { requiredKeys: ["epoch", "nowMs"] }
    )
    .map((it) => RoomEvent.StartFailed({ ...it, message: "boom" })),
  {
    weight: 3,
    arbitrary: fc
      .record({ epoch, serverIndex: fc.nat(2), nowMs })
      .map((it) => RoomEvent.ProcessExited(it))
  },
  fc
    .record({
      epoch,
      serverIndex: fc.nat(2),
      reason: fc.constantFrom("empty" as const, "pressure" as const, "redeploy" as const)
    })
    .map((it) => RoomEvent.DrainAsked(it)),
  fc
    .record({ epoch, clientsBack: fc.boolean(), entered: fc.boolean() })
    .map((it) => RoomEvent.Drained(it)),
  fc.boolean().map((held) => RoomEvent.Revived({ held })),
  fc.constantFrom(...StopReasons).map((reason) => RoomEvent.StopAsked({ reason })),
  { weight: 2, arbitrary: fc.boolean().map((force) => deleteAsked(force)) },
  { weight: 2, arbitrary: epoch.map((it) => RoomEvent.Evicted({ epoch: it })) },
  epoch.map((it) => RoomEvent.EvictionFailed({ epoch: it, server: "srv_1" })),
  { weight: 2, arbitrary: fc.nat(9).map((objects) => RoomEvent.StateRemoved({ objects })) },
  fc.record({ nowMs, deletesAtMs: fc.option(nowMs) }).map((it) => RoomEvent.SweepAsked(it)),
  fc
    .boolean()
    .map((started) => RoomEvent.SetAsked({ settings: { public: true }, started, inert: false })),
  fc.constantFrom(save, save, null).map((it) => RoomEvent.RestoreAsked({ save: it })),
  { weight: 2, arbitrary: fc.constant(RoomEvent.RestoreDue()) },
  { weight: 2, arbitrary: fc.boolean().map((found) => RoomEvent.SavePlaced({ found })) }
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

const epochOf = (state: RoomState): number | null =>
  placeOf(state)?.epoch ?? ("epoch" in state ? state.epoch : null)
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

law("D-14", "every wake is answered, refused, or asks for a place", ({ event, actions }) => {
  if (event._tag !== "WakeAsked") return
  expect(actions).toHaveLength(1)
  expect(["Answer", "Refuse", "ClaimPlace"]).toContain(actions[0]?._tag)
})

law("D-14", "epochs only grow, and only by a claim", ({ before, event, after }) => {
  const [from, to] = [epochOf(before), epochOf(after)]
  if (from === null || to === null || from === to) return
  expect(["EpochClaimed", "Placed"]).toContain(event._tag)
  expect(to).toBeGreaterThan(from)
})

law("D-14", "an event of another epoch changes nothing", ({ before, event, after, actions }) => {
  if (!("epoch" in event) || event._tag === "EpochClaimed" || event._tag === "Placed") return
  if (event.epoch === epochOf(before)) return
  expect(after).toBe(before)
  if (!("serverIndex" in event)) return expect(actions).toEqual([])
  // Its server still has what the room has given up, and lets it go.
  const stray = { epoch: event.epoch, serverIndex: event.serverIndex }
  expect(actions).toEqual([RoomAction.CloseRoom({ at: stray, because: "restarting" })])
})

law("D-14", "orders are about the epoch that the room has or had", (taken) => {
  const { before, event, after, actions } = taken
  for (const action of actions) {
    const isStray = "serverIndex" in event && action._tag === "CloseRoom"
    if ("at" in action && !isStray)
      expect([epochOf(before), epochOf(after)]).toContain(action.at.epoch)
    if (action._tag === "StartRoom" || action._tag === "RestartRoom" || action._tag === "Answer") {
      expect(placeOf(after)).toEqual(action.at)
    }
  }
})

law("D-14", "who enters a waiting state orders what it waits for", ({ before, after, actions }) => {
  if (after === before) return
  const orders = new Map<string, RoomAction["_tag"]>([
    ["Placing", "ClaimPlace"],
    ["Starting", "StartRoom"],
    ["Draining", "DrainRoom"],
    ["Restarting", epochOf(before) === epochOf(after) ? "ClaimEpoch" : "RestartRoom"],
    ["Evicting", "EvictRoom"],
    ["Deleting", epochOf(after) === null ? "ClaimEpoch" : "RemoveState"],
    ["Replacing", epochOf(after) === null ? "ClaimEpoch" : "PlaceSave"]
  ])
  const order = orders.get(after._tag)
  const others = tags(actions).filter((tag) => tag !== order)
  if (order !== undefined) expect(tags(actions)).toContain(order)
  for (const tag of others) expect(restingOrders).toContain(tag)
})

/** Orders after which the room waits for nothing. */
const restingOrders = ["Answer", "AnswerDeleted", "AnswerDone", "Refuse", "CloseRoom", "Doubt"]

/** What the order of a waiting state may answer with; each leaves the state or moves its wait on. */
const answersTo = (state: RoomState): ReadonlyArray<RoomEvent> => {
  switch (state._tag) {
    case "Absent":
    case "Hibernated":
    case "Closed":
    case "Awake":
    case "Restoring":
      return []
    case "Evicting":
      return [
        RoomEvent.Evicted({ epoch: state.at.epoch }),
        RoomEvent.EvictionFailed({ epoch: state.at.epoch, server: "srv_1" })
      ]
    case "Deleting":
      if (state.epoch === null) return [RoomEvent.EpochClaimed({ epoch: 9 })]
      return [RoomEvent.StateRemoved({ objects: 1 })]
    case "Replacing":
      if (state.epoch === null) return [RoomEvent.EpochClaimed({ epoch: 9 })]
      return [true, false].map((found) => RoomEvent.SavePlaced({ found }))
    case "Placing":
      return [RoomEvent.Placed({ epoch: 9, serverIndex: 2 })]
    case "Draining":
      return [true, false].flatMap((clientsBack) =>
        [true, false].map((entered) =>
          RoomEvent.Drained({ epoch: state.at.epoch, clientsBack, entered })
        )
      )
    case "Starting":
    case "Restarting": {
      const at = { epoch: state.at.epoch }
      return [
        RoomEvent.Started({ ...at, slot: 0 }),
        RoomEvent.ServerFull({ ...at, next: 7 }),
        RoomEvent.ServerFull({ ...at, next: null }),
        RoomEvent.ServerRefused(at),
        RoomEvent.ServerWaking({ ...at, message: "near its limit" }),
        RoomEvent.StartFailed({ ...at, nowMs: 0, message: "boom" })
      ]
    }
  }
}

law("D-14", "a waiting state is left by each of its own answers", ({ after }) => {
  for (const answer of answersTo(after)) {
    const [next, actions] = step(after, answer)
    expect(next).not.toBe(after)
    // A failed restart, a full server and a claimed epoch wait on, each with a new order under way.
    if (next._tag === after._tag) {
      const waits = ["StartRoom", "ClaimEpoch", "RemoveState", "PlaceSave"]
      expect(actions).toHaveLength(1)
      expect(waits).toContain(actions[0]?._tag)
    }
  }
})

law("D-14", "what is to be removed or replaced goes on being so after a crash", ({ after }) => {
  for (const held of [true, false]) {
    const [next, actions] = step(after, RoomEvent.Revived({ held }))
    if (after._tag === "Restoring") expect([next, actions]).toEqual([after, []])
    if (after._tag !== "Deleting" && after._tag !== "Replacing") continue
    expect(next).toBe(after)
    expect(tags(actions)).toEqual(["ClaimEpoch"])
  }
})

/** States that a crash leaves as they are. */
const going = (state: RoomState): boolean =>
  ["Restoring", "Deleting", "Replacing"].includes(state._tag)

law("D-14", "a room that no server holds rests after it is revived", ({ after }) => {
  if (going(after)) return
  const [next, actions] = step(after, RoomEvent.Revived({ held: false }))
  expect(resting(next)).toBe(true)
  expect(actions).toEqual([])
})

law("D-14", "a room that a server holds is awake, drains, or frees its place", ({ after }) => {
  if (going(after)) return
  const [next, actions] = step(after, RoomEvent.Revived({ held: true }))
  if (next._tag === "Draining") return expect(tags(actions)).toEqual(["DrainRoom"])
  expect(resting(next) || next._tag === "Awake").toBe(true)
  if ("at" in after && resting(next)) expect(tags(actions)).toEqual(["CloseRoom"])
})

law("D-22", "fewer restarts are kept than close a room", ({ after }) => {
  if ("restarts" in after) expect(after.restarts.length).toBeLessThan(ClosingLimits.restarts.max)
})

law("D-14", "a room that has been awake is forgotten by its removal only", (taken) => {
  const { before, event, after } = taken
  if (after._tag !== "Absent" || before._tag === "Absent") return
  if (before._tag === "Placing" || before._tag === "Starting") return
  expect([before._tag, event._tag]).toEqual(["Deleting", "StateRemoved"])
})

law(
  "state.room.delete-awake-noforce",
  "nothing of an awake room is removed without force",
  (taken) => {
    const { before, event, after } = taken
    if (event._tag !== "DeleteAsked" || event.force || placeOf(before) === null) return
    expect(after).toBe(before)
  }
)

law(
  "state.room.force-delete",
  "what is stored goes only when no incarnation can add to it",
  (taken) => {
    const { before, after, actions } = taken
    if (!tags(actions).includes("RemoveState")) return
    expect(before._tag).toBe("Deleting")
    expect(placeOf(after)).toBeNull()
    expect(epochOf(after)).not.toBeNull()
  }
)

law("state.room.retention.awake-not-swept", "a sweep moves only rooms that rest", (taken) => {
  const { before, event, after } = taken
  if (event._tag !== "SweepAsked" || after === before) return
  expect(["Hibernated", "Closed"]).toContain(before._tag)
  expect(event.nowMs).toBeGreaterThanOrEqual(event.deletesAtMs ?? Infinity)
})

law("D-14", "a room keeps its type until it is forgotten", ({ before, after }) => {
  if (typeOf(before) !== null && after._tag !== "Absent" && after._tag !== "Placing") {
    expect(typeOf(after)).toBe(typeOf(before))
  }
})

law("D-14", "neither a state that no row holds nor the row's own holds a place then", (taken) => {
  const { before, after } = taken
  if (isKept(after)) return
  expect(placeOf(after)).toBeNull()
  if (isKept(before)) expect(placeOf(before)).toBeNull()
})
