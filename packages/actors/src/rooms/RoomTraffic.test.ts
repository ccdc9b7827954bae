import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { expect, test } from "vitest"

import { type CountedRoom, noBytes, RoomTraffic } from "./RoomTraffic.ts"

const room = (projectId: string, ingressBytes: number, egressBytes: number): CountedRoom => ({
  key: { projectId },
  gate: { ingressBytes, egressBytes }
})

test("[metrics.ingressBytes] [metrics.egressBytes] a room counts while it is awake and when it is gone", () => {
  const traffic = new RoomTraffic()
  const [one, other] = [room("p_1", 3, 5), room("p_2", 100, 200)]
  expect(traffic.of("p_1", [one, other])).toEqual({ ingressBytes: 3, egressBytes: 5 })
  traffic.ended(one)
  expect(traffic.of("p_1", [other])).toEqual({ ingressBytes: 3, egressBytes: 5 })
  const again = room("p_1", 1, 1)
  expect(traffic.of("p_1", [again, other])).toEqual({ ingressBytes: 4, egressBytes: 6 })
  expect(traffic.all([again, other])).toEqual({ ingressBytes: 104, egressBytes: 206 })
  expect(traffic.of("p_3", [again, other])).toEqual(noBytes)
})

test("[C-144] of projects without an awake room so many are remembered, and the sum of all", () => {
  const traffic = new RoomTraffic()
  const most = RoomLimits.trafficProjects.max
  for (let project = 0; project < most; project++) traffic.ended(room(`p_${project}`, 1, 0))
  // The first one was awake once more.
  traffic.ended(room("p_0", 1, 0))
  expect(traffic.of("p_1", []).ingressBytes).toBe(1)
  traffic.ended(room("p_more", 1, 0))
  expect(traffic.of("p_1", [])).toEqual(noBytes)
  expect(traffic.of("p_0", []).ingressBytes).toBe(2)
  expect(traffic.all([]).ingressBytes).toBe(most + 2)
})
