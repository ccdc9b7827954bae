import { endBundler } from "@atrium/sdk/bundle"
import { afterAll, describe, expect, it } from "vitest"

import { runCycles } from "./Cycles.ts"
import { runKills } from "./Kills.ts"

// What `npm run soak` does for minutes, in seconds.

afterAll(endBundler)

const said: Array<string> = []
const say = (line: string): void => {
  said.push(line)
}

describe("soak", () => {
  it("[D-14] rooms that sleep and wake find their state each time, and leave nothing behind", async () => {
    const result = await runCycles({ cycles: 60, workers: 6, say })
    expect(result.faults).toEqual([])
    expect(result.cycles).toBe(60)
    // It was looked at: a blank spare process, one with the code of the rooms, and six rows.
    expect(result.after.processes).toMatchObject({ room: 2, launcher: 1, postmaster: 1 })
    expect(result.after.rows["rooms"]).toBe(6)
    expect(result.samples.at(-1)?.heapBytes).toBeGreaterThan(0)
  }, 120_000)

  it("[D-48] loses no acknowledged durable call and hangs no room while parts are killed", async () => {
    const result = await runKills({ seed: 62, rounds: 1, roundMs: 6000, say })
    expect(result.violations, said.join("\n")).toEqual([])
    expect(result.complaints).toEqual([])
    expect(result.faults).toEqual({
      backend: 1,
      redeploy: 1,
      room: 1,
      service: 1,
      cut: 1,
      drain: 1
    })
    expect(result.acknowledged.durable ?? 0).toBeGreaterThan(50)
    expect(result.acknowledged.plain ?? 0).toBeGreaterThan(20)
  }, 120_000)
})
