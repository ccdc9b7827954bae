import { endBundler } from "@atrium/sdk/bundle"
import { afterAll, expect, it } from "vitest"

import { runVersions } from "./VersionsRun.ts"

afterAll(endBundler)

const numberOf = (variable: string, otherwise: number): number =>
  Number(process.env[variable] ?? otherwise)

const seed = numberOf("VERSIONS_SEED", 6)
/** Smaller ones find a fault sooner. */
const versions = numberOf("VERSIONS", 30)
const rooms = numberOf("VERSIONS_ROOMS", 1000)
const players = numberOf("VERSIONS_PLAYERS", 40)

it("[C-702] [C-705] [C-990] 1,000 rooms wake with the state of the reference after 30 random versions and kills", async () => {
  const say = (line: string): void => void process.stdout.write(`${line}\n`)
  say(`seed ${seed}; VERSIONS_SEED=${seed} repeats the plan`)
  const result = await runVersions({ seed, versions, rooms, players, say })
  const { violations, refusals, ...figures } = result
  say(JSON.stringify({ ...figures, refusals: Object.fromEntries(refusals) }))
  expect(violations).toEqual([])
  expect(result.compared).toBe(rooms)
  expect(result.answered).toBeGreaterThan(rooms / 2)
  expect(Object.values(result.kills).every((count) => count > 0)).toBe(true)
}, 1_800_000)
