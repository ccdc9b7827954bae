// @module-tag thorough

import { ExitCauses } from "@atrium/actors/process/ExitCause"
import {
  anonMiB,
  answered,
  counterOf,
  exitCounts,
  hogProject,
  loggedEnd
} from "@atrium/api/testing/HogStage"
import { descendantsOf } from "@atrium/api/testing/ProcessTree"
import { broken } from "@atrium/api/testing/rooms/broken"
import { giant, hog, type HogName, stuckStart } from "@atrium/api/testing/rooms/hogSchema"
import { type RunningService } from "@atrium/api/testing/RunningService"
import { serviceUnderTest } from "@atrium/api/testing/ServiceUnderTest"
import { until } from "@atrium/domain/testing/Until"
import { Client } from "@atrium/sdk/client"
import { beforeAll, describe, expect, it } from "vitest"

const running = serviceUnderTest()
let service: RunningService
const seen = new Set<string>()

beforeAll(async () => {
  service = await hogProject(running)
})

const newClient = (): Client => new Client(service.url, { project: service.project })

/** Waits until log and metric have one more end of this room, and says which. */
const endOf = async (roomId: string, act: () => unknown): Promise<string> => {
  const logFrom = service.output().length
  const before = await exitCounts(service.url)
  await act()
  const logged = () => loggedEnd(service.output().slice(logFrom), roomId)
  const cause = await until(`the end of ${roomId}`, logged)
  const after = await exitCounts(service.url)
  expect(after.get(cause)).toBe((before.get(cause) ?? 0) + 1)
  seen.add(cause)
  return cause
}

const startStuck = async () => {
  const join = newClient().joinOrCreate(stuckStart, { roomId: "stuck" })
  let refusal: unknown = null
  const cause = await endOf("stuck", () => join.catch((error: unknown) => (refusal = error)))
  return { refusal, cause }
}

// It is waited for ten seconds: the other tests run meanwhile.
let stuck: ReturnType<typeof startStuck>
beforeAll(() => {
  stuck = startStuck()
  // Its own test tells of a failure.
  stuck.catch(() => undefined)
})

describe("every end of a room's process has its cause in log and metric", () => {
  it.each<[HogName, string]>([
    ["untouchedArrays", "memory"],
    ["loop", "hung"],
    ["frames", "flood"],
    ["lie", "protocol"],
    ["crash", "crashed"]
  ])("[D-22] %s ends as %s, and the room goes on from what was stored", async (what, cause) => {
    const room = await newClient().joinOrCreate(hog, { roomId: what })
    await room.request("count", { by: 3 })
    expect(await endOf(what, () => room.send("run", { what }))).toBe(cause)
    expect(await counterOf(room)).toBe(3)
    expect(await endOf(what, () => room.leave())).toBe("stopped")
  })

  it("[D-22] a process that somebody else ends exits as killed", async () => {
    const room = await newClient().joinOrCreate(hog, { roomId: "killed" })
    await room.request("count", { by: 3 })
    const before = new Map(descendantsOf(service.pid).map((child) => [child, anonMiB(child)]))
    room.send("run", { what: "hold" })
    // It was there before, and is the only one that takes so much more.
    const pid = await until("its process", () =>
      [...before].find(([child, mib]) => anonMiB(child) - mib > 35)?.at(0)
    )
    expect(await endOf("killed", () => process.kill(pid, "SIGKILL"))).toBe("killed")
    expect(await counterOf(room)).toBe(3)
    await room.leave()
  })

  it("[C-42] a state that is too large to be stored says so, and the room goes back to the last one", async () => {
    const room = await newClient().joinOrCreate(giant, { roomId: "giant" })
    await room.request("count", { by: 3 })
    // Together they pass 64 MiB.
    const grow = async (): Promise<void> => {
      expect(await room.request("grow", { blobs: 1040 })).toEqual({ blobs: 1040 })
      await expect(room.request("count", { by: 1 })).rejects.toThrow()
    }
    expect(await endOf("giant", grow)).toBe("snapshotSize")
    await until("the line in the log", () =>
      /snapshotSize a snapshot of \d+ bytes, over 67108864/.test(service.output())
    )
    expect(await answered(() => room.request("count", { by: 0 }, { timeoutMs: 2000 }))).toEqual({
      value: 3
    })
    expect(await room.request("grow", { blobs: 0 })).toEqual({ blobs: 0 })
    await room.leave()
  })

  it("[D-22] code that fails at its start", async () => {
    const join = () => newClient().joinOrCreate(broken, { roomId: "broken" })
    expect(await endOf("broken", () => expect(join()).rejects.toThrow("E_ROOM_CRASHED"))).toBe(
      "code"
    )
  })

  it("[D-22] code whose start does not end", async () => {
    const { refusal, cause } = await stuck
    expect(String(refusal)).toContain("E_ROOM_CRASHED")
    expect(cause).toBe("startTimeout")
  })

  it("[D-22] no cause is left that nothing provokes", () => {
    // `pressure` is proved in control/Memory.e2e.test.ts, `notStarted` in Descriptors.e2e.test.ts, `neighbour` in
    // SharedRooms.e2e.test.ts.
    expect([...seen, "pressure", "notStarted", "neighbour"].toSorted()).toEqual(
      ExitCauses.toSorted()
    )
  })
})
