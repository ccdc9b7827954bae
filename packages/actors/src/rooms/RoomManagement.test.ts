import { describe, expect, test } from "vitest"

import { step } from "./RoomMachine.ts"
import { RoomState } from "./RoomState.ts"
import {
  goingStates,
  lifeEvents,
  lifeStates,
  managementEvents,
  missingFrom,
  rowsOf,
  steppedRow
} from "./testing/RoomTable.ts"

const states = new Map([...lifeStates, ...goingStates])

const going =
  "Evicting e5 s0 [8]; Deleting; Deleting e6; Restoring sv_1; Restoring sv_1 e5 s0; Replacing sv_1; Replacing sv_1 e6"
const moving = `Placing new; Starting old e5 s0; Draining e5 s0 empty [8]; Evicting e5 s0 [8]; Deleting; Deleting e6; Replacing sv_1; Replacing sv_1 e6`
const notAwake = `Hibernated; Closed; Placing new; Starting old e5 s0; Draining e5 s0 empty [8]; Restarting e5 s0 slot 3 [9]; ${going}`
/** Every state of the table but Absent. */
const stored = `Awake e5 s0 slot 3 [7 8]; ${notAwake}`

/** What PATCH, DELETE, restore and the sweep do in every state. */
const managed = rowsOf(`
${stored} | set retention | = | set {retention:5m}
${stored} | set | = | done
${stored} | restore none | = | E_SAVE_NOT_FOUND
${notAwake} | set public; published | = | set {public:true}
${notAwake} | set started; published started | = | E_ROOM_STARTED
${moving} | delete; delete relay | = | E_ROOM_IN_USE
${moving} | delete force; restore 2 | = | E_TENANT_WAKING
Absent | delete; delete force; delete relay; set retention; set public; set started; restore 2; restore none | = | E_ROOM_NOT_FOUND
Absent | published | = | set {public:true}
Absent | published started | = | E_ROOM_STARTED
Absent | set | = | done
Absent | stop; data out; evicted 4; evicted 5; unreachable 4; unreachable 5; removed; sweep kept; sweep before; sweep at; due; placed; not placed | = |
Hibernated; Closed | delete; delete force; sweep at | Deleting | claim
Closed q6 | delete | Deleting | claim
Closed q6 | restore 2 | Restoring sv_2 | done
Closed q6 | sweep at; sweep before | = |
Hibernated; Closed | delete relay | = | E_ROOM_IN_USE
Hibernated; Closed | restore 2 | Restoring sv_2 | done
Hibernated; Closed | stop; data out; evicted 4; evicted 5; unreachable 4; unreachable 5; removed; sweep kept; sweep before; due; placed; not placed | = |
Placing new; Starting old e5 s0; Draining e5 s0 empty [8]; Deleting; Replacing sv_1 | stop; data out; evicted 4; evicted 5; unreachable 4; unreachable 5; removed; sweep kept; sweep before; sweep at; due; placed; not placed | = |
Awake e5 s0 slot 3 [7 8] | stop | Draining e5 s0 restore [7 8] | drain e5 s0 restore
Awake e5 s0 slot 3 [7 8] | data out | Draining e5 s0 dataOut [7 8] | drain e5 s0 dataOut
Awake e5 s0 slot 3 [7 8] | delete; delete relay | = | E_ROOM_IN_USE
Awake e5 s0 slot 3 [7 8] | delete force | Evicting e5 s0 [7 8] | evict e5 s0
Awake e5 s0 slot 3 [7 8] | set public | = | publish e5 s0 {public:true}
Awake e5 s0 slot 3 [7 8] | set started | = | publish e5 s0 {public:false}
Awake e5 s0 slot 3 [7 8] | published | = | set {public:true}
Awake e5 s0 slot 3 [7 8] | published started | = | E_ROOM_STARTED
Awake e5 s0 slot 3 [7 8] | restore 2 | Restoring sv_2 e5 s0 | done
Awake e5 s0 slot 3 [7 8] | evicted 4; evicted 5; unreachable 4; unreachable 5; removed; sweep kept; sweep before; sweep at; due; placed; not placed | = |
Restarting e5 s0 slot 3 [9] | delete; delete relay | = | E_ROOM_IN_USE
Restarting e5 s0 slot 3 [9] | delete force | Evicting e5 s0 [9] | evict e5 s0
Restarting e5 s0 slot 3 [9] | restore 2 | Restoring sv_2 e5 s0 | done
Restarting e5 s0 slot 3 [9] | stop; data out; evicted 4; evicted 5; unreachable 4; unreachable 5; removed; sweep kept; sweep before; sweep at; due; placed; not placed | = |
Evicting e5 s0 [8] | evicted 5 | Deleting | claim
Evicting e5 s0 [8] | unreachable 5 | Awake e5 s0 slot 3 [8] | doubt, E_EVICT_FAILED
Evicting e5 s0 [8] | stop; data out; evicted 4; unreachable 4; removed; sweep kept; sweep before; sweep at; due; placed; not placed | = |
Deleting e6 | removed | Absent | deleted 3
Deleting e6 | stop; data out; evicted 4; evicted 5; unreachable 4; unreachable 5; sweep kept; sweep before; sweep at; due; placed; not placed | = |
Restoring sv_1 | delete; delete force | Deleting | claim
Restoring sv_1 | delete relay | = | E_ROOM_IN_USE
Restoring sv_1 | restore 2 | Restoring sv_2 | done
Restoring sv_1 | due | Replacing sv_1 | claim
Restoring sv_1 | stop; data out; evicted 4; evicted 5; unreachable 4; unreachable 5; removed; sweep kept; sweep before; sweep at; placed; not placed | = |
Restoring sv_1 e5 s0 | delete; delete relay | = | E_ROOM_IN_USE
Restoring sv_1 e5 s0 | delete force | = | E_TENANT_WAKING
Restoring sv_1 e5 s0 | restore 2 | Restoring sv_2 e5 s0 | done
Restoring sv_1 e5 s0 | due | Replacing sv_1 | close e5 s0 restarting, claim
Restoring sv_1 e5 s0 | stop; data out; evicted 4; evicted 5; unreachable 4; unreachable 5; removed; sweep kept; sweep before; sweep at; placed; not placed | = |
Replacing sv_1 e6 | placed; not placed | Hibernated | done
Replacing sv_1 e6 | stop; data out; evicted 4; evicted 5; unreachable 4; unreachable 5; removed; sweep kept; sweep before; sweep at; due | = |
`)

/** What a room's life brings while it is removed or restored. */
const lived = rowsOf(`
${going} | wake; wake any | = | E_TENANT_WAKING
${going} | wake other | = | E_ROOM_NOT_FOUND
${going} | started 5; full 5; refused 5; waking 5; failed 5; drained 5; deployed 8 | = |
Evicting e5 s0 [8] | held | Awake e5 s0 slot 3 [8] |
Evicting e5 s0 [8] | lost | Hibernated |
Evicting e5 s0 [8] | claimed 5; claimed 7; placed 6 s2; exited 5; drain 5 | = |
Deleting | claimed 5 | Deleting e5 | remove
Deleting | claimed 7 | Deleting e7 | remove
Deleting | held; lost | = | claim
Deleting | exited 5; drain 5 | = | close e5 s0 restarting
Deleting e6 | claimed 7 | Deleting e7 | remove
Deleting e6 | held; lost | = | claim
Deleting e6 | exited 5; drain 5 | = | close e5 s0 restarting
Deleting; Deleting e6; Replacing sv_1; Replacing sv_1 e6 | placed 6 s2 | = |
Deleting e6 | claimed 5 | = |
Restoring sv_1 | exited 5; drain 5 | = | close e5 s0 restarting
Restoring sv_1 | claimed 5; claimed 7; placed 6 s2; held; lost | = |
Restoring sv_1 e5 s0 | exited 4; drain 4 | = | close e4 s0 restarting
Restoring sv_1 e5 s0 | exited 5 | Restoring sv_1 | close e5 s0 restarting
Restoring sv_1 e5 s0 | claimed 5; claimed 7; placed 6 s2; drain 5; held; lost | = |
Replacing sv_1 | claimed 5 | Replacing sv_1 e5 | place sv_1 e5
Replacing sv_1 | claimed 7 | Replacing sv_1 e7 | place sv_1 e7
Replacing sv_1 | held; lost | = | claim
Replacing sv_1 | exited 5; drain 5 | = | close e5 s0 restarting
Replacing sv_1 e6 | claimed 7 | Replacing sv_1 e7 | place sv_1 e7
Replacing sv_1 e6 | held; lost | = | claim
Replacing sv_1 e6 | exited 5; drain 5 | = | close e5 s0 restarting
Replacing sv_1 e6 | claimed 5 | = |
`)

describe("the management of a room", () => {
  test.each([...managed, ...lived])("[D-14] $given, $happened -> $leadsTo $actions", (row) =>
    expect(steppedRow(row)).toEqual(row)
  )

  test("[state.room.transitions-unlisted] the tables have every event in every state", () => {
    expect(missingFrom(managed, states, managementEvents)).toEqual([])
    expect(missingFrom(lived, goingStates, lifeEvents)).toEqual([])
  })

  test("[rooms.delete.force.names-server] the refusal names the server that cannot be reached", () => {
    const [, actions] = step(
      RoomState.Evicting({
        at: { type: "arena", class: "large", version: 1, epoch: 5, serverIndex: 0 },
        slot: 0,
        restarts: []
      }),
      { _tag: "EvictionFailed", epoch: 5, server: "srv_0123456789ab" }
    )
    const refusal = actions.find((action) => action._tag === "Refuse")
    expect(refusal?.message).toContain("srv_0123456789ab")
  })
})
