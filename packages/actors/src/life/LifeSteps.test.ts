import type { LifeNote } from "@atrium/domain/life/LifeEvent"
import { describe, expect, it } from "vitest"

import { step } from "../rooms/RoomMachine.ts"
import { RoomAction, RoomEvent, RoomState } from "../rooms/RoomState.ts"
import { lifeOfAction, lifeOfStep } from "./LifeSteps.ts"

const at = { type: "arena", class: "standard", version: 3, epoch: 7, serverIndex: 2 } as const
const awake = RoomState.Awake({ at, slot: 0, restarts: [] })
const draining = (reason: "empty" | "shutdown") =>
  RoomState.Draining({ at, slot: 0, restarts: [], reason })
const drained = RoomEvent.Drained({ epoch: 7, clientsBack: false, entered: true })
const exited = (nowMs: number) => RoomEvent.ProcessExited({ epoch: 7, serverIndex: 2, nowMs })
const replacing = RoomState.Replacing({
  type: "arena",
  save: { version: 2, saveId: "sv_1" },
  epoch: 8
})
const started = RoomEvent.Started({ epoch: 7, slot: 0 })
const here = { version: 3, server: "srv_2" }

type Case = readonly [what: string, state: RoomState, event: RoomEvent, note: LifeNote | null]
const cases: ReadonlyArray<Case> = [
  ["a new room", RoomState.Starting({ at, stored: false }), started, { kind: "created", ...here }],
  [
    "a room that wakes",
    RoomState.Starting({ at, stored: true }),
    started,
    { kind: "woken", ...here }
  ],
  [
    "a room after a crash",
    RoomState.Restarting({ at, slot: 0, restarts: [1] }),
    started,
    { kind: "restarted", ...here }
  ],
  ["a room that sleeps", draining("empty"), drained, { kind: "slept", reason: "empty" }],
  [
    "a room whose client came back",
    draining("empty"),
    RoomEvent.Drained({ epoch: 7, clientsBack: true, entered: true }),
    null
  ],
  ["a first crash, whose cause is told elsewhere", awake, exited(0), null],
  [
    "a third crash",
    RoomState.Awake({ at, slot: 0, restarts: [1, 2] }),
    exited(3),
    { kind: "closed" }
  ],
  [
    "a room that does not start",
    RoomState.Starting({ at, stored: true }),
    RoomEvent.StartFailed({ epoch: 7, nowMs: 0, message: "its code failed" }),
    { kind: "failed", detail: "its code failed" }
  ],
  [
    "a room that never was",
    RoomState.Starting({ at, stored: false }),
    RoomEvent.StartFailed({ epoch: 7, nowMs: 0, message: "its code failed" }),
    null
  ],
  ["a room whose runner is gone", awake, RoomEvent.Revived({ held: false }), { kind: "lost" }],
  ["a room whose runner is there", awake, RoomEvent.Revived({ held: true }), null],
  [
    "a save in the place of the state",
    replacing,
    RoomEvent.SavePlaced({ found: true }),
    { kind: "restored", saveId: "sv_1" }
  ],
  ["a save that was gone", replacing, RoomEvent.SavePlaced({ found: false }), null],
  ["a late report", awake, started, null]
]

describe("the life of a room", () => {
  const told = (before: RoomState, event: RoomEvent, moves: boolean) => {
    const [after] = step(before, event)
    // A step that changes nothing is not looked at.
    if (after === before) return null
    return lifeOfStep({ before, event, after, moves }, (index) => `srv_${index}`)
  }

  it.each(cases)("[C-772] tells of %s", (...[, before, event, note]) => {
    expect(told(before, event, false)).toEqual(note)
  })

  it("[C-772] tells of a room that moves, whose state says that its runner ends", () => {
    expect(told(draining("shutdown"), drained, true)).toEqual({ kind: "moved" })
    expect(told(draining("shutdown"), drained, false)).toEqual({
      kind: "slept",
      reason: "shutdown"
    })
  })

  it("[C-772] tells settings as they are set", () => {
    const of = (settings: object) => lifeOfAction(RoomAction.SaveSettings({ settings }))
    expect(of({ retention: "30d", public: true })).toEqual({
      kind: "set",
      detail: "retention 30d, public"
    })
    expect(of({ retention: null })).toEqual({
      kind: "set",
      detail: "retention as its type says"
    })
    expect([of({}), lifeOfAction(RoomAction.ClaimEpoch())]).toEqual([null, null])
  })
})
