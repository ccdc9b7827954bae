import { endBundler } from "@atrium/sdk/bundle"
import { afterAll, describe, expect, it } from "vitest"

import { runCycles } from "./Cycles.ts"
import { type FaultKind, planFaults } from "./FaultPlan.ts"
import { runKills } from "./Kills.ts"

// What `npm run soak` does for minutes, in seconds.

afterAll(endBundler)

const said: Array<string> = []
const say = (line: string): void => {
  said.push(line)
}

const kinds: ReadonlyArray<FaultKind> = ["backend", "cut", "drain", "redeploy", "room", "service"]
const roundMs = 6000

/** The first seed whose one round has each kind once; PostgreSQL itself takes too long to come back. */
const seedOfEachKind = (): number => {
  for (let seed = 0; ; seed++) {
    const [round] = planFaults({ seed, rounds: 1, roundMs })
    const planned = [...(round?.faults ?? []).map(({ kind }) => kind), round?.ending]
    if (planned.toSorted().join() === kinds.join()) return seed
  }
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
  })

  it("[D-48] loses no acknowledged durable call and hangs no room while parts are killed", async () => {
    const result = await runKills({ seed: seedOfEachKind(), rounds: 1, roundMs, say })
    expect(result.violations, said.join("\n")).toEqual([])
    expect(result.complaints).toEqual([])
    expect(result.faults).toEqual(Object.fromEntries(kinds.map((kind) => [kind, 1])))
    expect(result.acknowledged.durable ?? 0).toBeGreaterThan(50)
    expect(result.acknowledged.plain ?? 0).toBeGreaterThan(20)
  })
})
