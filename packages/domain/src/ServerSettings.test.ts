import { expect, test } from "vitest"

import { serverSettings } from "./ServerSettings.ts"

const nothing = { connectionsPerIpPerMin: null, vmMemMib: null }

test.each([
  { id: "project.vmMem.auto-128", set: null, physics: false, mib: 128 },
  { id: "project.vmMem.auto-256-physics", set: null, physics: true, mib: 256 },
  { id: "project.vmMem.overrides-physics", set: 128, physics: true, mib: 128 },
  { id: "project.vmMem.overrides-physics", set: 4096, physics: true, mib: 4096 },
  { id: "project.patch.vmMemMib.null-automatic", set: 512, physics: false, mib: 512 }
])("[$id] [T-43] $set set, physics $physics: $mib MiB", ({ set, physics, mib }) => {
  const project = { ...nothing, vmMemMib: set }
  expect(serverSettings({ project, service: nothing, physics }).vmMemMib).toBe(mib)
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
    physics: false
  })
  expect(settings.connectionsPerIpPerMin).toBe(count)
})
