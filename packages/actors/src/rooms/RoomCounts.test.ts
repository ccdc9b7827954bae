import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { ProjectId, RoomId } from "@atrium/domain/shared/Ids"
import { expect, test } from "vitest"

import { RoomCounts } from "./RoomCounts.ts"

const projectId = ProjectId.make("p_0000000000000001")
const room = (roomId: string, clients: number, epoch = 1) => ({
  projectId,
  roomId: RoomId.make(roomId),
  epoch,
  clients,
  entered: true
})

test("[C-230] a room is reported when its players change, and every 2 s", () => {
  const counts = new RoomCounts()
  const [ann, bob] = [room("ann", 0), room("bob", 5)]
  expect(counts.due([ann, bob], 1000)).toEqual([ann, bob])
  expect(counts.due([ann, bob], 1250)).toEqual([])
  expect(counts.due([room("ann", 1), bob], 1500)).toEqual([room("ann", 1)])
  expect(counts.due([room("ann", 1), bob, room("new", 0)], 1750)).toEqual([room("new", 0)])
  const all = [room("ann", 1), bob]
  expect(counts.due(all, 1000 + RoomLimits.reportEvery.ms - 1)).toEqual([])
  expect(counts.due(all, 1000 + RoomLimits.reportEvery.ms)).toEqual(all)
})

test("[C-230] a restarted room is reported anew, as is every room after a failed write", () => {
  const counts = new RoomCounts()
  counts.due([room("ann", 3)], 0)
  expect(counts.due([room("ann", 3, 2)], 1)).toEqual([room("ann", 3, 2)])
  expect(counts.due([room("ann", 3, 2)], 2)).toEqual([])
  counts.forget()
  expect(counts.due([room("ann", 3, 2)], 3)).toEqual([room("ann", 3, 2)])
})

test("[C-224] reports a room when it lets its first client in, even if that client has left", () => {
  const counts = new RoomCounts()
  const fresh = { ...room("ann", 0), entered: false }
  expect(counts.due([fresh], 0)).toEqual([fresh])
  expect(counts.due([fresh], 250)).toEqual([])
  expect(counts.due([room("ann", 0)], 500)).toEqual([room("ann", 0)])
})
