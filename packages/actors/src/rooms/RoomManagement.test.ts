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

/** What PATCH, DELETE, restore and the sweep do in every state. */
const managed = rowsOf(`
Absent | delete; delete force; delete relay; set retention; set public; set started; restore 2; restore none | = | E_ROOM_NOT_FOUND
Absent | published | = | set {public:true}
Absent | published started | = | E_ROOM_STARTED
Absent | set | = | done
Absent | stop; data out; evicted 4; evicted 5; unreachable 4; unreachable 5; removed; sweep kept; sweep before; sweep at; due; placed; not placed | = |
Hibernated | delete; delete force; sweep at | Deleting | claim
Hibernated | delete relay | = | E_ROOM_IN_USE
Hibernated | set retention | = | set {retention:5m}
Hibernated | set public; published | = | set {public:true}
Hibernated | set started; published started | = | E_ROOM_STARTED
Hibernated | set | = | done
Hibernated | restore 2 | Restoring sv_2 | done
Hibernated | restore none | = | E_SAVE_NOT_FOUND
Hibernated | stop; data out; evicted 4; evicted 5; unreachable 4; unreachable 5; removed; sweep kept; sweep before; due; placed; not placed | = |
Closed | delete; delete force; sweep at | Deleting | claim
Closed | delete relay | = | E_ROOM_IN_USE
Closed | set retention | = | set {retention:5m}
Closed | set public; published | = | set {public:true}
Closed | set started; published started | = | E_ROOM_STARTED
Closed | set | = | done
Closed | restore 2 | Restoring sv_2 | done
Closed | restore none | = | E_SAVE_NOT_FOUND
Closed | stop; data out; evicted 4; evicted 5; unreachable 4; unreachable 5; removed; sweep kept; sweep before; due; placed; not placed | = |
Placing new | delete; delete relay | = | E_ROOM_IN_USE
Placing new | delete force; restore 2 | = | E_TENANT_WAKING
Placing new | set retention | = | set {retention:5m}
Placing new | set public; published | = | set {public:true}
Placing new | set started; published started | = | E_ROOM_STARTED
Placing new | set | = | done
Placing new | restore none | = | E_SAVE_NOT_FOUND
Placing new | stop; data out; evicted 4; evicted 5; unreachable 4; unreachable 5; removed; sweep kept; sweep before; sweep at; due; placed; not placed | = |
Starting old e5 s0 | delete; delete relay | = | E_ROOM_IN_USE
Starting old e5 s0 | delete force; restore 2 | = | E_TENANT_WAKING
Starting old e5 s0 | set retention | = | set {retention:5m}
Starting old e5 s0 | set public; published | = | set {public:true}
Starting old e5 s0 | set started; published started | = | E_ROOM_STARTED
Starting old e5 s0 | set | = | done
Starting old e5 s0 | restore none | = | E_SAVE_NOT_FOUND
Starting old e5 s0 | stop; data out; evicted 4; evicted 5; unreachable 4; unreachable 5; removed; sweep kept; sweep before; sweep at; due; placed; not placed | = |
Awake e5 s0 slot 3 [7 8] | stop | Draining e5 s0 restore [7 8] | drain e5 s0 restore
Awake e5 s0 slot 3 [7 8] | data out | Draining e5 s0 dataOut [7 8] | drain e5 s0 dataOut
Awake e5 s0 slot 3 [7 8] | delete; delete relay | = | E_ROOM_IN_USE
Awake e5 s0 slot 3 [7 8] | delete force | Evicting e5 s0 [7 8] | evict e5 s0
Awake e5 s0 slot 3 [7 8] | set retention | = | set {retention:5m}
Awake e5 s0 slot 3 [7 8] | set public | = | publish e5 s0 {public:true}
Awake e5 s0 slot 3 [7 8] | set started | = | publish e5 s0 {public:false}
Awake e5 s0 slot 3 [7 8] | published | = | set {public:true}
Awake e5 s0 slot 3 [7 8] | published started | = | E_ROOM_STARTED
Awake e5 s0 slot 3 [7 8] | set | = | done
Awake e5 s0 slot 3 [7 8] | restore 2 | Restoring sv_2 e5 s0 | done
Awake e5 s0 slot 3 [7 8] | restore none | = | E_SAVE_NOT_FOUND
Awake e5 s0 slot 3 [7 8] | evicted 4; evicted 5; unreachable 4; unreachable 5; removed; sweep kept; sweep before; sweep at; due; placed; not placed | = |
Draining e5 s0 empty [8] | delete; delete relay | = | E_ROOM_IN_USE
Draining e5 s0 empty [8] | delete force; restore 2 | = | E_TENANT_WAKING
Draining e5 s0 empty [8] | set retention | = | set {retention:5m}
Draining e5 s0 empty [8] | set public; published | = | set {public:true}
Draining e5 s0 empty [8] | set started; published started | = | E_ROOM_STARTED
Draining e5 s0 empty [8] | set | = | done
Draining e5 s0 empty [8] | restore none | = | E_SAVE_NOT_FOUND
Draining e5 s0 empty [8] | stop; data out; evicted 4; evicted 5; unreachable 4; unreachable 5; removed; sweep kept; sweep before; sweep at; due; placed; not placed | = |
Restarting e5 s0 slot 3 [9] | delete; delete relay | = | E_ROOM_IN_USE
Restarting e5 s0 slot 3 [9] | delete force | Evicting e5 s0 [9] | evict e5 s0
Restarting e5 s0 slot 3 [9] | set retention | = | set {retention:5m}
Restarting e5 s0 slot 3 [9] | set public; published | = | set {public:true}
Restarting e5 s0 slot 3 [9] | set started; published started | = | E_ROOM_STARTED
Restarting e5 s0 slot 3 [9] | set | = | done
Restarting e5 s0 slot 3 [9] | restore 2 | Restoring sv_2 e5 s0 | done
Restarting e5 s0 slot 3 [9] | restore none | = | E_SAVE_NOT_FOUND
Restarting e5 s0 slot 3 [9] | stop; data out; evicted 4; evicted 5; unreachable 4; unreachable 5; removed; sweep kept; sweep before; sweep at; due; placed; not placed | = |
Evicting e5 s0 [8] | delete; delete relay | = | E_ROOM_IN_USE
Evicting e5 s0 [8] | delete force; restore 2 | = | E_TENANT_WAKING
Evicting e5 s0 [8] | evicted 5 | Deleting | claim
Evicting e5 s0 [8] | unreachable 5 | Awake e5 s0 slot 3 [8] | doubt, E_EVICT_FAILED
Evicting e5 s0 [8] | set retention | = | set {retention:5m}
Evicting e5 s0 [8] | set public; published | = | set {public:true}
Evicting e5 s0 [8] | set started; published started | = | E_ROOM_STARTED
Evicting e5 s0 [8] | set | = | done
Evicting e5 s0 [8] | restore none | = | E_SAVE_NOT_FOUND
Evicting e5 s0 [8] | stop; data out; evicted 4; unreachable 4; removed; sweep kept; sweep before; sweep at; due; placed; not placed | = |
Deleting | delete; delete relay | = | E_ROOM_IN_USE
Deleting | delete force; restore 2 | = | E_TENANT_WAKING
Deleting | set retention | = | set {retention:5m}
Deleting | set public; published | = | set {public:true}
Deleting | set started; published started | = | E_ROOM_STARTED
Deleting | set | = | done
Deleting | restore none | = | E_SAVE_NOT_FOUND
Deleting | stop; data out; evicted 4; evicted 5; unreachable 4; unreachable 5; removed; sweep kept; sweep before; sweep at; due; placed; not placed | = |
Deleting e6 | delete; delete relay | = | E_ROOM_IN_USE
Deleting e6 | delete force; restore 2 | = | E_TENANT_WAKING
Deleting e6 | removed | Absent | deleted 3
Deleting e6 | set retention | = | set {retention:5m}
Deleting e6 | set public; published | = | set {public:true}
Deleting e6 | set started; published started | = | E_ROOM_STARTED
Deleting e6 | set | = | done
Deleting e6 | restore none | = | E_SAVE_NOT_FOUND
Deleting e6 | stop; data out; evicted 4; evicted 5; unreachable 4; unreachable 5; sweep kept; sweep before; sweep at; due; placed; not placed | = |
Restoring sv_1 | delete; delete force | Deleting | claim
Restoring sv_1 | delete relay | = | E_ROOM_IN_USE
Restoring sv_1 | set retention | = | set {retention:5m}
Restoring sv_1 | set public; published | = | set {public:true}
Restoring sv_1 | set started; published started | = | E_ROOM_STARTED
Restoring sv_1 | set | = | done
Restoring sv_1 | restore 2 | Restoring sv_2 | done
Restoring sv_1 | restore none | = | E_SAVE_NOT_FOUND
Restoring sv_1 | due | Replacing sv_1 | claim
Restoring sv_1 | stop; data out; evicted 4; evicted 5; unreachable 4; unreachable 5; removed; sweep kept; sweep before; sweep at; placed; not placed | = |
Restoring sv_1 e5 s0 | delete; delete relay | = | E_ROOM_IN_USE
Restoring sv_1 e5 s0 | delete force | = | E_TENANT_WAKING
Restoring sv_1 e5 s0 | set retention | = | set {retention:5m}
Restoring sv_1 e5 s0 | set public; published | = | set {public:true}
Restoring sv_1 e5 s0 | set started; published started | = | E_ROOM_STARTED
Restoring sv_1 e5 s0 | set | = | done
Restoring sv_1 e5 s0 | restore 2 | Restoring sv_2 e5 s0 | done
Restoring sv_1 e5 s0 | restore none | = | E_SAVE_NOT_FOUND
Restoring sv_1 e5 s0 | due | Replacing sv_1 | close e5 s0 restarting, claim
Restoring sv_1 e5 s0 | stop; data out; evicted 4; evicted 5; unreachable 4; unreachable 5; removed; sweep kept; sweep before; sweep at; placed; not placed | = |
Replacing sv_1 | delete; delete relay | = | E_ROOM_IN_USE
Replacing sv_1 | delete force; restore 2 | = | E_TENANT_WAKING
Replacing sv_1 | set retention | = | set {retention:5m}
Replacing sv_1 | set public; published | = | set {public:true}
Replacing sv_1 | set started; published started | = | E_ROOM_STARTED
Replacing sv_1 | set | = | done
Replacing sv_1 | restore none | = | E_SAVE_NOT_FOUND
Replacing sv_1 | stop; data out; evicted 4; evicted 5; unreachable 4; unreachable 5; removed; sweep kept; sweep before; sweep at; due; placed; not placed | = |
Replacing sv_1 e6 | delete; delete relay | = | E_ROOM_IN_USE
Replacing sv_1 e6 | delete force; restore 2 | = | E_TENANT_WAKING
Replacing sv_1 e6 | set retention | = | set {retention:5m}
Replacing sv_1 e6 | set public; published | = | set {public:true}
Replacing sv_1 e6 | set started; published started | = | E_ROOM_STARTED
Replacing sv_1 e6 | set | = | done
Replacing sv_1 e6 | restore none | = | E_SAVE_NOT_FOUND
Replacing sv_1 e6 | placed; not placed | Hibernated | done
Replacing sv_1 e6 | stop; data out; evicted 4; evicted 5; unreachable 4; unreachable 5; removed; sweep kept; sweep before; sweep at; due | = |
`)

/** What a room's life brings while it is removed or restored. */
const lived = rowsOf(`
Evicting e5 s0 [8] | wake; wake any | = | E_TENANT_WAKING
Evicting e5 s0 [8] | wake other | = | E_ROOM_NOT_FOUND
Evicting e5 s0 [8] | held | Awake e5 s0 slot 3 [8] |
Evicting e5 s0 [8] | lost | Hibernated |
Evicting e5 s0 [8] | claimed 5; claimed 7; started 5; full 5; refused 5; waking 5; failed 5; exited 5; drain 5; drained 5; deployed 8 | = |
Deleting | wake; wake any | = | E_TENANT_WAKING
Deleting | wake other | = | E_ROOM_NOT_FOUND
Deleting | claimed 5 | Deleting e5 | remove
Deleting | claimed 7 | Deleting e7 | remove
Deleting | held; lost | = | claim
Deleting | started 5; full 5; refused 5; waking 5; failed 5; drained 5; deployed 8 | = |
Deleting | exited 5; drain 5 | = | close e5 s0 restarting
Deleting e6 | wake; wake any | = | E_TENANT_WAKING
Deleting e6 | wake other | = | E_ROOM_NOT_FOUND
Deleting e6 | claimed 7 | Deleting e7 | remove
Deleting e6 | held; lost | = | claim
Deleting e6 | claimed 5; started 5; full 5; refused 5; waking 5; failed 5; drained 5; deployed 8 | = |
Deleting e6 | exited 5; drain 5 | = | close e5 s0 restarting
Restoring sv_1 | wake; wake any | = | E_TENANT_WAKING
Restoring sv_1 | wake other | = | E_ROOM_NOT_FOUND
Restoring sv_1 | claimed 5; claimed 7; started 5; full 5; refused 5; waking 5; failed 5; drained 5; deployed 8; held; lost | = |
Restoring sv_1 | exited 5; drain 5 | = | close e5 s0 restarting
Restoring sv_1 e5 s0 | wake; wake any | = | E_TENANT_WAKING
Restoring sv_1 e5 s0 | wake other | = | E_ROOM_NOT_FOUND
Restoring sv_1 e5 s0 | claimed 5; claimed 7; started 5; full 5; refused 5; waking 5; failed 5; exited 5; drain 5; drained 5; deployed 8; held; lost | = |
Replacing sv_1 | wake; wake any | = | E_TENANT_WAKING
Replacing sv_1 | wake other | = | E_ROOM_NOT_FOUND
Replacing sv_1 | claimed 5 | Replacing sv_1 e5 | place sv_1 e5
Replacing sv_1 | claimed 7 | Replacing sv_1 e7 | place sv_1 e7
Replacing sv_1 | held; lost | = | claim
Replacing sv_1 | started 5; full 5; refused 5; waking 5; failed 5; drained 5; deployed 8 | = |
Replacing sv_1 | exited 5; drain 5 | = | close e5 s0 restarting
Replacing sv_1 e6 | wake; wake any | = | E_TENANT_WAKING
Replacing sv_1 e6 | wake other | = | E_ROOM_NOT_FOUND
Replacing sv_1 e6 | claimed 7 | Replacing sv_1 e7 | place sv_1 e7
Replacing sv_1 e6 | held; lost | = | claim
Replacing sv_1 e6 | claimed 5; started 5; full 5; refused 5; waking 5; failed 5; drained 5; deployed 8 | = |
Replacing sv_1 e6 | exited 5; drain 5 | = | close e5 s0 restarting
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
