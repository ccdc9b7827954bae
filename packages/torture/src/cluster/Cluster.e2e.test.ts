import { endBundler } from "@atrium/sdk/bundle"
import { afterAll, expect, it } from "vitest"

import { runCluster } from "./ClusterRun.ts"
import { roomsOf, threeRunners } from "./ClusterShape.ts"

// A kill alone, of a few rooms: `Cluster.long.test.ts` has all acts, and holds the times against the goals.

afterAll(endBundler)

it("[C-449] three runners lose nothing acknowledged, run no room twice and leave no client alone when one is killed", async () => {
  const shape = {
    ...threeRunners,
    coded: { projects: 3, rooms: 1, clients: 2 },
    relay: { projects: 3, rooms: 1 },
    calmMs: 2_000
  }
  const result = await runCluster({ shape, minutes: 0, acts: ["kill"], say: () => undefined })
  expect(result.violations).toEqual([])
  expect(result.orphans).toBe(0)
  expect(result.rooms.length).toBe(roomsOf(shape))
  // The killed runner had rooms: their clients lost a connection and are served elsewhere.
  const [kill] = result.acts
  expect(kill?.rooms).toBeGreaterThan(0)
  expect(kill?.othersReady).toBe(true)
  expect(result.rooms.flatMap(({ drops }) => drops).length).toBeGreaterThan(0)
})
