import { ProjectId, RoomId } from "@atrium/domain/Ids"
import { expect, it } from "vitest"

import { Traffic } from "./Traffic.ts"

const room = (project: string) => ({
  key: { projectId: ProjectId.make(project), roomId: RoomId.make("r") },
  gate: { ingressBytes: 0, egressBytes: 0 }
})

it("[C-88] traffic counts by project, and stays counted when a room sleeps and wakes", () => {
  const traffic = new Traffic()
  const [one, other] = [room("p_0123456789abcdef"), room("p_fedcba9876543210")]
  expect(traffic.of(one.key.projectId)).toEqual({ ingressBytes: 0, egressBytes: 0 })
  traffic.look([one, other])
  Object.assign(one.gate, { ingressBytes: 5, egressBytes: 7 })
  Object.assign(other.gate, { ingressBytes: 100, egressBytes: 100 })
  expect(traffic.of(one.key.projectId)).toEqual({ ingressBytes: 5, egressBytes: 7 })
  // What it counted between the last look and its end counts, too.
  Object.assign(one.gate, { ingressBytes: 6 })
  traffic.look([other])
  expect(traffic.of(one.key.projectId)).toEqual({ ingressBytes: 6, egressBytes: 7 })
  const again = room(one.key.projectId)
  Object.assign(again.gate, { ingressBytes: 1, egressBytes: 1 })
  traffic.look([again, other])
  traffic.look([again])
  expect(traffic.of(one.key.projectId)).toEqual({ ingressBytes: 7, egressBytes: 8 })
  expect(traffic.of(other.key.projectId)).toEqual({ ingressBytes: 100, egressBytes: 100 })
})
