// @module-tag thorough

import { execFileSync } from "node:child_process"
import { rmSync } from "node:fs"

import { Client } from "@atrium/sdk/client"
import { expect, it } from "vitest"

import { probe } from "../testing/rooms/probeSchema.ts"
import { call, makeHome } from "../testing/RunningService.ts"

it("[C-216] a copy of the data folder of a stopped service is a backup: a service on it has rooms, accounts and players", async () => {
  const home = await makeHome("prepared")
  const service = await home.start()
  const { project, token } = service
  const client = new Client(service.url, { project, reconnectForMs: 0 })
  const room = await client.joinOrCreate(probe, { roomId: "kept" })
  expect(await room.request("add", { by: 41 })).toEqual({ value: 41 })
  const identity = await call(service.url, "/v1/identity", { body: { project } })
  expect(await service.stop()).toBe(0)

  const backup = `${home.dataDir}.backup`
  execFileSync("cp", ["-a", home.dataDir, backup])
  const later = await home.start()
  const after = await new Client(later.url, { project }).joinById("kept", probe)
  expect(await after.request("add", { by: 1 })).toEqual({ value: 42 })
  await after.leave()
  expect(await later.stop()).toBe(0)

  rmSync(home.dataDir, { recursive: true })
  execFileSync("mv", [backup, home.dataDir])
  const restored = await home.start()
  expect((await call(restored.url, "/v1/projects", { token })).status).toBe(200)
  const player = String(identity.body["token"])
  const back = await new Client(restored.url, { project, token: player }).joinById("kept", probe)
  expect(await back.request("add", { by: 1 })).toEqual({ value: 42 })
  await back.leave()
  expect(await restored.stop()).toBe(0)
  await home.remove()
})
