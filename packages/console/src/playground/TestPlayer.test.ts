import { defineSchema, describe } from "@atrium/sdk/schema"
import { afterEach, beforeEach, expect, it, vi } from "vitest"

import { TestPlayer } from "./TestPlayer.ts"

const schema = defineSchema({ type: "arena" })
const minutes = 60_000
let mints = 0

beforeEach(() => {
  mints = 0
  vi.stubGlobal("location", { origin: "http://localhost:1" })
  vi.stubGlobal("WebSocket", function refuse() {
    throw new Error("no connection")
  })
  vi.stubGlobal("fetch", (path: string) => {
    if (path === "/v1/projects/dev/test-players") mints++
    // The service's clock is an hour behind.
    const nowMs = Date.now() - 60 * minutes
    const answer = { token: "t", expiresAt: new Date(nowMs + 15 * minutes).toISOString() }
    const headers = { date: new Date(nowMs).toUTCString() }
    return Promise.resolve(Response.json(answer, { status: 201, headers }))
  })
})

afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

it("[C-806] [D-60] connects with the credential that it has, until that one ends", async () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  const descriptor = describe(schema)
  const player = new TestPlayer(1, { project: "dev", roomId: "arena", schema, descriptor })
  await player.join()
  await player.join()
  expect(mints).toBe(1)
  vi.advanceTimersByTime(16 * minutes)
  await player.join()
  expect(mints).toBe(2)
})
