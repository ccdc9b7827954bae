import { type RoomClass, RoomClasses } from "@atrium/wire/rooms/RoomClass"
import fc from "fast-check"
import { expect, test } from "vitest"

import { ServerLimits } from "../servers/ServerLimits.ts"
import { roomsMibOf, serverSettings } from "./ServerSettings.ts"

const nothing = { connectionsPerIpPerMin: null, vmMemMib: null }

test.each([
  { id: "project.vmMem.auto-128", set: null, physics: false, mib: 128 },
  { id: "project.vmMem.auto-256-physics", set: null, physics: true, mib: 256 },
  { id: "project.vmMem.overrides-physics", set: 128, physics: true, mib: 128 },
  { id: "project.vmMem.overrides-physics", set: 4096, physics: true, mib: 4096 },
  { id: "project.patch.vmMemMib.null-automatic", set: 512, physics: false, mib: 512 }
])("[$id] [T-43] $set set, physics $physics: $mib MiB", ({ set, physics, mib }) => {
  const project = { ...nothing, vmMemMib: set }
  expect(serverSettings({ project, service: nothing, physics, classes: [] }).vmMemMib).toBe(mib)
})

test.each([
  { id: "limits.connections.default", project: null, service: null, count: 120 },
  { id: "project.connections.env", project: 10, service: null, count: 10 },
  { id: "project.connections.env", project: null, service: 30, count: 30 },
  { id: "limits.connections.settable", project: 10, service: 30, count: 10 }
])("[$id] project $project, environment $service: $count", ({ project, service, count }) => {
  const settings = serverSettings({
    project: { ...nothing, connectionsPerIpPerMin: project },
    service: { connectionsPerIpPerMin: service },
    physics: false,
    classes: []
  })
  expect(settings.connectionsPerIpPerMin).toBe(count)
})

test.each<[ReadonlyArray<RoomClass>, number]>([
  [[], 20 * 64],
  [["standard"], 20 * 64],
  [["large", "standard"], 8 * 256],
  [["standard", "xlarge", "large"], 3 * 1024]
])("[budget.sized-for-largest] a server for %j has %i MiB for its rooms", (classes, mib) => {
  const settings = { project: nothing, service: nothing, physics: false, classes }
  expect(serverSettings(settings).roomsMib).toBe(mib)
})

const anyClass = fc.constantFrom<RoomClass>("standard", "large", "xlarge")

test("[budget.sized-for-largest] rooms that fit the budget fit the memory, each at its ceiling", () => {
  fc.assert(
    fc.property(fc.array(anyClass, { maxLength: 30 }), (asked) => {
      const held: Array<RoomClass> = []
      let cost = 0
      for (const each of asked) {
        if (cost + RoomClasses[each].cost > ServerLimits.serverBudget.max) continue
        cost += RoomClasses[each].cost
        held.push(each)
      }
      const mib = held.reduce((sum, each) => sum + RoomClasses[each].memoryMiB, 0)
      expect(mib).toBeLessThanOrEqual(roomsMibOf(held))
    })
  )
})
