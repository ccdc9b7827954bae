import { endBundler } from "@atrium/sdk/bundle"
import { afterAll, expect, it } from "vitest"

import { ActKinds } from "./Acts.ts"
import { runCluster } from "./ClusterRun.ts"
import { roomsOf, threeRunners } from "./ClusterShape.ts"
import { verdict } from "./Verdict.ts"

// What `npm run torture -- cluster` does for minutes, with each act once.

afterAll(endBundler)

it("[C-447] three runners keep their promises while one is killed, frozen or stopped, or PostgreSQL restarts", async () => {
  const said: Array<string> = []
  const say = (line: string): void => {
    said.push(line)
  }
  const result = await runCluster({ shape: threeRunners, minutes: 1.2, acts: ActKinds, say })
  expect(new Set(result.acts.map(({ kind }) => kind))).toEqual(new Set(ActKinds))
  expect(result.violations, said.join("\n")).toEqual([])
  expect(verdict(result).filter(({ met }) => !met)).toEqual([])
  expect(result.rooms.length).toBe(roomsOf(threeRunners))
})
