import { describe, expect, test } from "vitest"

import { step, typeToStart } from "./RoomMachine.ts"
import { RoomEvent, RoomState } from "./RoomState.ts"
import { at, lifeEvents, lifeStates, missingFrom, rowsOf, steppedRow } from "./testing/RoomTable.ts"

/** One line per event: state | event | next state, `=` for the very same one | actions. */
const table = `
Absent                       | wake            | Placing new                  | claim
Absent                       | wake any        | =                            | E_ROOM_NOT_FOUND
Absent                       | wake undeployed | =                            | E_ROOM_NOT_FOUND
Absent                       | wake walled     | =                            | E_CAP_REACHED
Absent                       | claimed 6       | =                            |
Absent                       | started 5       | =                            |
Absent                       | full 5          | =                            |
Absent                       | refused 5; waking 5       | =                            |
Absent                       | failed 5        | =                            |
Absent                       | exited 5        | =                            | close e5 s0 restarting
Absent                       | drain 5         | =                            | close e5 s0 restarting
Absent                       | drained 5       | =                            |
Absent                       | deployed 8      | =                            |
Absent                       | held            | =                            |
Absent                       | lost            | =                            |
Hibernated                   | wake            | Placing old                  | claim
Hibernated                   | wake any        | Placing old                  | claim
Hibernated                   | wake other      | =                            | E_ROOM_NOT_FOUND
Hibernated                   | wake undeployed | =                            | E_ROOM_NOT_FOUND
Hibernated                   | wake walled     | =                            | E_CAP_REACHED
Hibernated                   | claimed 6       | =                            |
Hibernated                   | started 5       | =                            |
Hibernated                   | full 5          | =                            |
Hibernated                   | refused 5; waking 5       | =                            |
Hibernated                   | failed 5        | =                            |
Hibernated                   | exited 5        | =                            | close e5 s0 restarting
Hibernated                   | drain 5         | =                            | close e5 s0 restarting
Hibernated                   | drained 5       | =                            |
Hibernated                   | back 5          | =                            |
Hibernated                   | deployed 8      | =                            |
Hibernated                   | held            | =                            |
Hibernated                   | lost            | =                            |
Closed                       | wake            | Placing old                  | claim
Closed                       | wake any        | Placing old                  | claim
Closed                       | wake other      | =                            | E_ROOM_NOT_FOUND
Closed                       | wake undeployed | =                            | E_ROOM_NOT_FOUND
Closed                       | wake walled     | =                            | E_CAP_REACHED
Closed                       | claimed 6       | =                            |
Closed                       | started 5       | =                            |
Closed                       | full 5          | =                            |
Closed                       | refused 5; waking 5       | =                            |
Closed                       | failed 5        | =                            |
Closed                       | exited 5        | =                            | close e5 s0 restarting
Closed                       | drain 5         | =                            | close e5 s0 restarting
Closed                       | drained 5       | =                            |
Closed                       | deployed 8      | =                            |
Closed                       | held            | =                            |
Closed                       | lost            | =                            |
Placing new                  | wake            | =                            | E_TENANT_WAKING
Placing new                  | wake other      | =                            | E_ROOM_NOT_FOUND
Placing new                  | claimed 6       | Starting new e6 s0           | start e6 s0 fresh
Placing old                  | claimed 6       | Starting old e6 s0           | start e6 s0
Placing new                  | started 5       | =                            |
Placing new                  | full 5          | =                            |
Placing new                  | refused 5; waking 5       | =                            |
Placing new                  | failed 5        | =                            |
Placing new                  | exited 5        | =                            | close e5 s0 restarting
Placing new                  | drain 5         | =                            | close e5 s0 restarting
Placing new                  | drained 5       | =                            |
Placing new                  | deployed 8      | =                            |
Placing new                  | held            | Absent                       |
Placing new                  | lost            | Absent                       |
Placing old                  | lost            | Hibernated                   |
Starting new e5 s0           | wake            | =                            | E_TENANT_WAKING
Starting new e5 s0           | claimed 6       | =                            |
Starting new e5 s0           | started 4       | =                            |
Starting new e5 s0           | started 5       | Awake e5 s0 slot 2 []        | answer e5 s0
Starting old e5 s0           | started 5       | Awake e5 s0 slot 2 []        | answer e5 s0
Starting new e5 s0           | full 4          | =                            |
Starting new e5 s0           | full 5          | Starting new e5 s1           | start e5 s1 fresh
Starting old e5 s999         | full 5          | Hibernated                   | close e5 s999 restarting, E_TENANT_WAKING
Starting new e5 s0           | refused 4; waking 4       | =                            |
Starting new e5 s0           | refused 5; waking 5       | Absent                       | close e5 s0 restarting, doubt, E_TENANT_WAKING
Starting old e5 s0           | refused 5; waking 5       | Hibernated                   | close e5 s0 restarting, E_TENANT_WAKING
Starting new e5 s0           | failed 4        | =                            |
Starting new e5 s0           | failed 5        | Absent                       | close e5 s0 crashed, E_ROOM_CRASHED
Starting old e5 s0           | failed 5        | Closed                       | close e5 s0 crashed, E_ROOM_CRASHED
Starting new e5 s0           | exited 5        | =                            |
Starting new e5 s0           | drain 5         | =                            |
Starting new e5 s0           | drained 5       | =                            |
Starting new e5 s0           | deployed 8      | =                            |
Starting new e5 s0           | held            | Hibernated                   | close e5 s0 restarting
Starting old e5 s0           | held            | Hibernated                   | close e5 s0 restarting
Starting new e5 s0           | lost            | Absent                       |
Starting old e5 s0           | lost            | Hibernated                   |
Awake e5 s0 slot 3 []        | wake            | =                            | answer e5 s0
Awake e5 s0 slot 3 []        | wake any        | =                            | answer e5 s0
Awake e5 s0 slot 3 []        | wake other      | =                            | E_ROOM_NOT_FOUND
Awake e5 s0 slot 3 []        | wake undeployed | =                            | answer e5 s0
Awake e5 s0 slot 3 []        | wake walled     | =                            | answer e5 s0
Awake e5 s0 slot 3 []        | claimed 6       | =                            |
Awake e5 s0 slot 3 []        | started 5       | =                            |
Awake e5 s0 slot 3 []        | full 5          | =                            |
Awake e5 s0 slot 3 []        | refused 5; waking 5       | =                            |
Awake e5 s0 slot 3 []        | failed 5        | =                            |
Awake e5 s0 slot 3 []        | exited 4        | =                            | close e4 s0 restarting
Awake e5 s0 slot 3 []        | exited 5        | Restarting e5 s0 slot 3 [10] | claim
Awake e5 s0 slot 3 [7 8]     | exited 5        | Closed                       | close e5 s0 crashed
Awake e5 s0 slot 3 []        | drain 4         | =                            | close e4 s0 restarting
Awake e5 s0 slot 3 [7 8]     | drain 5         | Draining e5 s0 redeploy [7 8] | drain e5 s0 redeploy
Awake e5 s0 slot 3 []        | drained 5       | =                            |
Awake e5 s0 slot 3 []        | deployed 7      | =                            |
Awake e5 s0 slot 3 [7 8]     | deployed 8      | Draining e5 s0 redeploy [7 8] | drain e5 s0 redeploy
Awake e5 s0 slot 3 [7 8]     | held            | =                            |
Awake e5 s0 slot 3 []        | lost            | Hibernated                   |
Draining e5 s0 empty [8]     | wake            | =                            | E_TENANT_WAKING
Draining e5 s0 empty [8]     | claimed 6       | =                            |
Draining e5 s0 empty [8]     | started 5       | =                            |
Draining e5 s0 empty [8]     | full 5          | =                            |
Draining e5 s0 empty [8]     | refused 5; waking 5       | =                            |
Draining e5 s0 empty [8]     | failed 5        | =                            |
Draining e5 s0 empty [8]     | exited 5        | =                            |
Draining e5 s0 empty [8]     | drain 5         | =                            |
Draining e5 s0 empty [8]     | drained 4       | =                            |
Draining e5 s0 empty [8]     | drained 5       | Hibernated                   |
Draining e5 s0 empty [8]     | back 4          | =                            |
Draining e5 s0 empty [8]     | back 5          | Awake e5 s0 slot 3 [8]       |
Draining e5 s0 empty [8]     | deployed 8      | =                            |
Draining e5 s0 shutdown []   | held            | =                            | drain e5 s0 shutdown
Draining e5 s0 unentered []  | held            | =                            | drain e5 s0 unentered
Draining e5 s0 unentered []  | lost            | Deleting                     | claim
Draining e5 s0 unentered []  | drained 5       | Hibernated                   |
Draining e5 s0 unentered []  | unentered 5     | Deleting                     | claim
Draining e5 s0 unentered []  | unentered 4     | =                            |
Draining e5 s0 shutdown []   | unentered 5     | Deleting                     | claim
Draining e5 s0 empty [8]     | unentered 5     | Deleting                     | claim
Draining e5 s0 unentered []  | back 5          | Awake e5 s0 slot 3 []        |
Draining e5 s0 empty [8]     | lost            | Hibernated                   |
Restarting e5 s0 slot 3 [9]  | wake            | =                            | answer e5 s0
Restarting e5 s0 slot 3 [9]  | claimed 5       | =                            |
Restarting e5 s0 slot 3 [9]  | claimed 6       | Restarting e6 s0 slot 3 [9]  | restart e6 s0
Restarting e5 s0 slot 3 [9]  | started 4       | =                            |
Restarting e5 s0 slot 3 [9]  | started 5       | Awake e5 s0 slot 2 [9]       |
Restarting e5 s0 slot 3 [9]  | full 4          | =                            |
Restarting e5 s0 slot 3 [9]  | full 5          | Hibernated                   | close e5 s0 restarting
Restarting e5 s0 slot 3 [9]  | refused 4; waking 4       | =                            |
Restarting e5 s0 slot 3 [9]  | refused 5; waking 5       | Hibernated                   | close e5 s0 restarting
Restarting e5 s0 slot 3 [9]  | failed 4        | =                            |
Restarting e5 s0 slot 3 [9]  | failed 5        | Restarting e5 s0 slot 3 [9 10] | claim
Restarting e5 s0 slot 3 [8 9] | failed 5       | Closed                       | close e5 s0 crashed
Restarting e5 s0 slot 3 [9]  | exited 4        | =                            | close e4 s0 restarting
Restarting e5 s0 slot 3 [8 9] | exited 5       | Closed                       | close e5 s0 crashed
Restarting e5 s0 slot 3 [9]  | drain 5         | =                            |
Restarting e5 s0 slot 3 [9]  | drained 5       | =                            |
Restarting e5 s0 slot 3 [9]  | deployed 8      | =                            |
Restarting e5 s0 slot 3 [9]  | held            | Hibernated                   | close e5 s0 restarting
Restarting e5 s0 slot 3 [9]  | lost            | Hibernated                   |
`
const rows = rowsOf(table)

describe("transitions", () => {
  test.each(rows)("[D-14] $given, $happened -> $leadsTo $actions", (row) =>
    expect(steppedRow(row)).toEqual(row)
  )

  test("[D-14] the table has every event in every state", () => {
    expect(missingFrom(rows, lifeStates, lifeEvents)).toEqual([])
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

test("[D-14] a room's own type is started, and what is asked for only when it has none", () => {
  for (const [name, state] of lifeStates) {
    const up = name !== "Absent" && name !== "Hibernated" && name !== "Closed"
    const own = up ? null : "arena"
    expect(typeToStart(state, "chess")).toBe(name === "Absent" ? "chess" : own)
    expect(typeToStart(state, null)).toBe(name === "Absent" ? null : own)
  }
})
