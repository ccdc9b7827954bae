import { endBundler } from "@atrium/sdk/bundle"
import { afterAll, expect, it } from "vitest"

import { runVersions } from "./VersionsRun.ts"

afterAll(endBundler)

const seed = Number(process.env["VERSIONS_SEED"] ?? 6)

it("[C-702] [C-705] [C-990] 1,000 rooms wake with the state of the reference after 30 random versions and kills", async () => {
  const say = (line: string): void => void process.stdout.write(`${line}\n`)
  say(`seed ${seed}; VERSIONS_SEED=${seed} repeats the plan`)
  const result = await runVersions({ seed, versions: 30, rooms: 1000, players: 40, say })
  const { violations, refusals, ...figures } = result
  say(JSON.stringify({ ...figures, refusals: Object.fromEntries(refusals) }))
  expect(violations).toEqual([])
  expect(result.compared).toBe(1000)
  expect(result.answered).toBeGreaterThan(500)
  expect(Object.values(result.kills).every((count) => count > 0)).toBe(true)
}, 1_800_000)
