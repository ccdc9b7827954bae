import { isProjectId, RoomId } from "@atrium/domain/shared/Ids"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"

import { endless } from "../cluster/ShardLeases.ts"
import { MeterCounts } from "../meters/RunnerMeter.ts"
import { Seats } from "../presence/SeatedPlayers.ts"
import { type StartOrder, StoreAway } from "../servers/ServerProtocol.ts"
import { noCalls } from "../voice/VoiceCalls.ts"
import { type AwakeRoomReports, makeAwakeRoom } from "./AwakeRoom.ts"
import type { Seat } from "./RoomState.ts"

const projectId = "p_0123456789abcdef"
const orderOf = (epoch: number): StartOrder => ({
  roomId: "r",
  type: "arena",
  class: "standard",
  version: 1,
  epoch,
  serverIndex: 3,
  fresh: true
})

it.effect("[C-151] a restart that fails is reported, as clients wait in the room", () =>
  Effect.gen(function* () {
    if (!isProjectId(projectId)) throw new Error("no project id")
    const exits: Array<Seat> = []
    const reports: AwakeRoomReports = {
      processExited: (seat) => Effect.sync(() => void exits.push(seat)),
      emptied: () => Effect.void
    }
    const incarnations = { start: () => Effect.fail(new StoreAway()) }
    const key = { projectId, roomId: RoomId.make("r") }
    const room = yield* makeAwakeRoom({
      key,
      lease: endless,
      incarnations,
      meter: new MeterCounts(),
      seats: new Seats(() => 0),
      calls: noCalls,
      reports
    })
    // Nobody is in a room that never was up: its server lets it go.
    yield* Effect.flip(room.start(orderOf(5)))
    expect(exits).toEqual([])
    yield* Effect.flip(room.start(orderOf(6)))
    expect(exits).toEqual([{ epoch: 6, serverIndex: 3 }])
    expect(room.seat()).toEqual({ epoch: 6, serverIndex: 3 })
  })
)
