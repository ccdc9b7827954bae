import { describe, expect, test } from "vitest"

import { step, typeToStart } from "./RoomMachine.ts"
import { isKept, placeOf, RoomEvent, type RoomSettings, RoomState } from "./RoomState.ts"
import { at, lifeEvents, lifeStates, missingFrom, rowsOf, steppedRow } from "./testing/RoomTable.ts"

/** One line per outcome: states | events | next state, `=` for the very same one | actions. */
const table = `
Absent | wake | Placing new | claim place standard
Absent | wake any; wake undeployed | = | E_ROOM_NOT_FOUND
Absent | wake walled | = | E_CAP_REACHED
Absent | exited 5; drain 5 | = | close e5 s0 restarting
Absent | claimed 6; placed 6 s2; started 5; full 5; refused 5; waking 5; failed 5; drained 5; deployed 8; held; lost | = |
Hibernated; Closed | wake; wake any | Placing old | claim place standard
Hibernated; Closed | wake other; wake undeployed | = | E_ROOM_NOT_FOUND
Hibernated; Closed | wake walled | = | E_CAP_REACHED
Hibernated; Closed | exited 5; drain 5 | = | close e5 s0 restarting
Hibernated | back 5 | = |
Hibernated; Closed | claimed 6; placed 6 s2; started 5; full 5; refused 5; waking 5; failed 5; drained 5; deployed 8; held; lost | = |
Placing new | wake | = | E_TENANT_WAKING
Placing new | wake other | = | E_ROOM_NOT_FOUND
Placing new | placed 6 s2 | Starting new e6 s2 | start e6 s2 fresh
Placing new | exited 5; drain 5 | = | close e5 s0 restarting
Placing new | held; lost | Absent |
Placing new | claimed 6; started 5; full 5; refused 5; waking 5; failed 5; drained 5; deployed 8 | = |
Placing old | placed 6 s2 | Starting old e6 s2 | start e6 s2
Placing old | lost | Hibernated |
Starting new e5 s0 | wake | = | E_TENANT_WAKING
Starting new e5 s0 | started 5 | Awake e5 s0 slot 2 [] | answer e5 s0
Starting new e5 s0 | full 5 | Starting new e5 s3 | start e5 s3 fresh
Starting new e5 s0 | refused 5; waking 5; all full 5 | Absent | close e5 s0 restarting, doubt, E_TENANT_WAKING
Starting new e5 s0 | failed 5 | Absent | close e5 s0 crashed, E_ROOM_CRASHED
Starting new e5 s0 | held | Hibernated | close e5 s0 restarting
Starting new e5 s0 | lost | Absent |
Starting new e5 s0 | placed 6 s2 | Starting new e6 s2 | start e6 s2 fresh
Starting new e5 s0 | claimed 6; started 4; full 4; all full 4; refused 4; waking 4; failed 4; exited 5; drain 5; drained 5; deployed 8 | = |
Starting old e5 s0 | started 5 | Awake e5 s0 slot 2 [] | answer e5 s0
Starting old e5 s0 | refused 5; waking 5; all full 5 | Hibernated | close e5 s0 restarting, E_TENANT_WAKING
Starting old e5 s0 | failed 5 | Closed | close e5 s0 crashed, E_ROOM_CRASHED
Starting old e5 s0 | held | Hibernated | close e5 s0 restarting
Starting old e5 s0 | full 5 | Starting old e5 s3 | start e5 s3
Starting old e5 s0 | placed 6 s2 | Starting old e6 s2 | start e6 s2
Starting old e5 s0 | lost | Hibernated |
Starting new e5 s0 | unled 5 | Absent | close e5 s0 crashed, E_ROOM_CRASHED
Starting old e5 s0 | unled 5 | Closed q7 | close e5 s0 crashed, E_ROOM_CRASHED
Closed q6 | wake; wake any | Placing old q6 | claim place standard
Closed q6 | wake undeployed | = | E_ROOM_NOT_FOUND
Closed q6 | wake walled | = | E_CAP_REACHED
Closed q6 | unled 5; deployed 8; held; lost | = |
Placing old q6 | placed 6 s2 | Starting old e6 s2 q6 | start e6 s2
Placing old q6 | held; lost | Closed q6 |
Starting old e5 s0 q6 | started 5 | Awake e5 s0 slot 2 [] | answer e5 s0
Starting old e5 s0 q6 | unled 5 | Closed q7 | close e5 s0 crashed, E_ROOM_CRASHED
Starting old e5 s0 q6 | failed 5 | Closed q6 | close e5 s0 crashed, E_ROOM_CRASHED
Starting old e5 s0 q6 | refused 5; waking 5; all full 5 | Closed q6 | close e5 s0 restarting, E_TENANT_WAKING
Starting old e5 s0 q6 | full 5 | Starting old e5 s3 q6 | start e5 s3
Starting old e5 s0 q6 | placed 6 s2 | Starting old e6 s2 q6 | start e6 s2
Starting old e5 s0 q6 | unled 4 | = |
Starting old e5 s0 q6 | lost | Closed q6 |
Starting old e5 s0 q6 | held | Hibernated | close e5 s0 restarting
Awake e5 s0 slot 3 [] | wake; wake any; wake undeployed; wake walled | = | answer e5 s0
Awake e5 s0 slot 3 [] | wake other | = | E_ROOM_NOT_FOUND
Awake e5 s0 slot 3 [] | exited 4; drain 4 | = | close e4 s0 restarting
Awake e5 s0 slot 3 [] | exited 5 | Restarting e5 s0 slot 3 [10] | claim
Awake e5 s0 slot 3 [] | shared 5 | Restarting e5 s0 slot 3 [] | claim
Awake e5 s0 slot 3 [] | lost | Hibernated |
Awake e5 s0 slot 3 [] | claimed 6; placed 6 s2; started 5; full 5; refused 5; waking 5; failed 5; drained 5; deployed 7 | = |
Awake e5 s0 slot 3 [7 8] | exited 5 | Closed | close e5 s0 crashed
Awake e5 s0 slot 3 [7 8] | shared 5 | Restarting e5 s0 slot 3 [7 8] | claim
Awake e5 s0 slot 3 [7 8] | drain 5; deployed 8 | Draining e5 s0 redeploy [7 8] | drain e5 s0 redeploy
Awake e5 s0 slot 3 [7 8] | held | = |
Draining e5 s0 empty [8] | wake | = | E_TENANT_WAKING
Draining e5 s0 empty [8] | drained 5; lost | Hibernated |
Draining e5 s0 empty [8] | back 5 | Awake e5 s0 slot 3 [8] |
Draining e5 s0 empty [8] | unentered 5 | Deleting | claim
Draining e5 s0 empty [8] | claimed 6; placed 6 s2; started 5; full 5; refused 5; waking 5; failed 5; exited 5; drain 5; drained 4; back 4; deployed 8 | = |
Draining e5 s0 shutdown [] | held | = | drain e5 s0 shutdown
Draining e5 s0 shutdown [] | unentered 5 | Deleting | claim
Draining e5 s0 unentered [] | held | = | drain e5 s0 unentered
Draining e5 s0 unentered [] | lost; unentered 5 | Deleting | claim
Draining e5 s0 unentered [] | drained 5 | Hibernated |
Draining e5 s0 unentered [] | back 5 | Awake e5 s0 slot 3 [] |
Draining e5 s0 unentered [] | unentered 4 | = |
Restarting e5 s0 slot 3 [9] | wake | = | answer e5 s0
Restarting e5 s0 slot 3 [9] | claimed 6 | Restarting e6 s0 slot 3 [9] | restart e6 s0
Restarting e5 s0 slot 3 [9] | started 5 | Awake e5 s0 slot 2 [9] |
Restarting e5 s0 slot 3 [9] | full 5; all full 5; refused 5; waking 5; placed 6 s2; held | Hibernated | close e5 s0 restarting
Restarting e5 s0 slot 3 [9] | failed 5 | Restarting e5 s0 slot 3 [9 10] | claim
Restarting e5 s0 slot 3 [9] | exited 4 | = | close e4 s0 restarting
Restarting e5 s0 slot 3 [9] | lost | Hibernated |
Restarting e5 s0 slot 3 [9] | claimed 5; started 4; full 4; refused 4; waking 4; failed 4; drain 5; drained 5; deployed 8 | = |
Restarting e5 s0 slot 3 [9] | unled 5 | Closed q7 | close e5 s0 crashed
Restarting e5 s0 slot 3 [9] | unled 4 | = |
Restarting e5 s0 slot 3 [8 9] | failed 5; exited 5 | Closed | close e5 s0 crashed
`
const rows = rowsOf(table)

describe("transitions", () => {
  test.each(rows)("[D-14] $given, $happened -> $leadsTo $actions", (row) =>
    expect(steppedRow(row)).toEqual(row)
  )

  test("[D-14] the table has every event in every state", () => {
    expect(missingFrom(rows, lifeStates, lifeEvents)).toEqual([])
  })

  test("[D-14] a room holds no place before and in the state that no row has", () => {
    const unkept = [...lifeStates].filter(([, state]) => !isKept(state))
    const unkeptNames = unkept.map(([name]) => name)
    expect(unkeptNames).toEqual(["Placing old q6", "Placing new", "Placing old"])
    const before = rows.filter(({ leadsTo }) => leadsTo.startsWith("Placing"))
    expect(new Set(before.map(({ given }) => given))).toEqual(
      new Set(["Absent", "Hibernated", "Closed", "Closed q6"])
    )
    for (const name of ["Absent", "Hibernated", "Closed", "Closed q6", ...unkeptNames]) {
      expect(placeOf(lifeStates.get(name) ?? RoomState.Absent())).toBeNull()
    }
    expect(placeOf(RoomState.Awake({ at: at(5), slot: 0, restarts: [] }))).toEqual(at(5))
  })

  test("[D-14] a room keeps what it is: slot, version and type of the start", () => {
    const awake = RoomState.Awake({ at: at(5, 2), slot: 3, restarts: [] })
    const [restarting] = step(
      awake,
      RoomEvent.ProcessExited({ epoch: 5, serverIndex: 0, nowMs: 10 })
    )
    const [next, actions] = step(restarting, RoomEvent.EpochClaimed({ epoch: 9 }))
    expect(next).toEqual(RoomState.Restarting({ at: at(9, 2), slot: 3, restarts: [10] }))
    expect(actions).toEqual([{ _tag: "RestartRoom", at: at(9, 2) }])
  })
})

/** An awake room whose process dies at each moment and starts again at once. */
const diesAt = (...momentsMs: ReadonlyArray<number>): RoomState => {
  let state: RoomState = RoomState.Awake({ at: at(1), slot: 0, restarts: [] })
  momentsMs.forEach((nowMs, index) => {
    const epoch = index + 1
    state = step(state, RoomEvent.ProcessExited({ epoch, serverIndex: 0, nowMs }))[0]
    state = step(state, RoomEvent.EpochClaimed({ epoch: epoch + 1 }))[0]
    state = step(state, RoomEvent.Started({ epoch: epoch + 1, slot: 0 }))[0]
  })
  return state
}

describe("restarts", () => {
  test.each([
    ["twice in a moment", [0, 0], "Awake"],
    ["three times in a moment", [0, 0, 0], "Closed"],
    ["a third time 59,999 ms after the first", [0, 30_000, 59_999], "Closed"],
    ["a third time 60,000 ms after the first", [0, 30_000, 60_000], "Awake"],
    ["every 30,000 ms", [0, 30_000, 60_000, 90_000, 120_000, 150_000], "Awake"],
    ["every 29,999 ms", [0, 29_999, 59_998], "Closed"],
    ["thrice within a minute after a quiet one", [0, 70_000, 80_000, 90_000], "Closed"]
  ])("[T-39] a room that dies %s", (_how, momentsMs, then) => {
    expect(diesAt(...momentsMs)._tag).toBe(then)
  })

  test("[D-22] deaths count on while a drain finds that a client has come back", () => {
    const twice = diesAt(0, 1000)
    const [draining] = step(
      twice,
      RoomEvent.DrainAsked({ epoch: 3, serverIndex: 0, reason: "empty" })
    )
    const [back] = step(draining, RoomEvent.Drained({ epoch: 3, clientsBack: true, entered: true }))
    const [closed] = step(back, RoomEvent.ProcessExited({ epoch: 3, serverIndex: 0, nowMs: 2000 }))
    expect(closed._tag).toBe("Closed")
  })

  test("[C-974] the end of a process that rooms shared counts for none of them", () => {
    const ends = (state: RoomState, shared: { readonly shared?: true }) => {
      if (state._tag !== "Awake") throw new Error(state._tag)
      const { epoch } = state.at
      const exited = RoomEvent.ProcessExited({ epoch, serverIndex: 0, nowMs: 3000, ...shared })
      return step(state, exited)[0]
    }
    const twice = diesAt(0, 1000)
    expect(ends(twice, { shared: true })).toMatchObject({ _tag: "Restarting", restarts: [0, 1000] })
    expect(ends(twice, {})._tag).toBe("Closed")
  })

  test("[state.worker.three-restarts-close] a start that fails counts as a death", () => {
    const [restarting] = step(
      diesAt(0),
      RoomEvent.ProcessExited({ epoch: 2, serverIndex: 0, nowMs: 1 })
    )
    const [claimed] = step(restarting, RoomEvent.EpochClaimed({ epoch: 3 }))
    const failed = RoomEvent.StartFailed({ epoch: 3, nowMs: 2, message: "boom" })
    expect(step(claimed, failed)[0]._tag).toBe("Closed")
  })
})

test("[D-58] a wake for a client that may not join is refused and changes no state", () => {
  const barred = RoomEvent.WakeAsked({
    type: "arena",
    create: true,
    kind: null,
    wall: null,
    bar: "not you"
  })
  const refusal = [{ _tag: "Refuse", code: "E_BRANCH", message: "not you" }]
  for (const state of lifeStates.values()) expect(step(state, barred)).toEqual([state, refusal])
})

test("[D-58] an inert room never becomes public, and its retention can be set", () => {
  const asleep = RoomState.Hibernated({ type: "arena" })
  const set = (settings: RoomSettings) =>
    step(asleep, RoomEvent.SetAsked({ settings, started: false, inert: true }))[1].map(
      ({ _tag }) => _tag
    )
  expect(set({ public: true })).toEqual(["Refuse"])
  expect(set({ public: true, retention: "1d" })).toEqual(["Refuse"])
  expect(set({ public: false })).toEqual(["SaveSettings"])
  expect(set({ retention: "1d" })).toEqual(["SaveSettings"])
})

test("[D-14] a room's own type is started, and what is asked for only when it has none", () => {
  for (const [name, state] of lifeStates) {
    const isDown = ["Absent", "Hibernated", "Closed", "Closed q6"].includes(name)
    const own = isDown ? "arena" : null
    expect(typeToStart(state, "chess")).toBe(name === "Absent" ? "chess" : own)
    expect(typeToStart(state, null)).toBe(name === "Absent" ? null : own)
  }
})
