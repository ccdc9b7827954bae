// @module-tag thorough

import { until } from "@atrium/domain/testing/Until"
import { afterAll, beforeAll, expect, it } from "vitest"

import { as, ask, errorOf, type MintedKey, mintKey } from "../testing/KeysUnderTest.ts"
import { figure, figures, shareShards, startRunner } from "../testing/Runners.ts"
import { makeHome, type RunningService, type ServiceHome } from "../testing/RunningService.ts"

let home: ServiceHome | null = null
const runners: Array<RunningService> = []
const runner = (at: number): RunningService => {
  const found = runners[at % runners.length]
  if (found === undefined) throw new Error("no runner")
  return found
}

beforeAll(async () => {
  home = await makeHome()
  for (let started = 0; started < 2; started++) runners.push(await startRunner(home))
})

afterAll(async () => {
  await home?.remove()
})

const use = (on: RunningService, { secret }: MintedKey) =>
  ask(on, `/v1/projects/${on.project}/rooms`, as(secret))
const revoke = (on: RunningService, { keyId }: MintedKey) =>
  ask(on, `/v1/projects/${on.project}/keys/${keyId}`, as(on.token, { method: "DELETE" }))

/** Enough keys for actors on both runners, each used on both. */
const newKeys = async (): Promise<ReadonlyArray<MintedKey>> => {
  const keys = await Promise.all(
    Array.from({ length: 16 }, (_, at) => mintKey(runner(at), ["rooms:read"]))
  )
  for (const key of keys) {
    for (const each of runners) expect((await use(each, key)).status).toBe(200)
  }
  return keys
}

it("[state.key.revoked-401] [D-19] revoked on one runner, the very next use on the other is refused", async () => {
  // A shard that moves later takes its actors down.
  await shareShards(runners)
  const keys = await newKeys()
  const actors = await figures(runners, 'effect_cluster_entities{type="ApiKey"}')
  expect(Math.min(...actors)).toBeGreaterThan(0)
  expect(actors.reduce((sum, each) => sum + each, 0)).toBe(keys.length)
  for (const [at, key] of keys.entries()) {
    expect((await revoke(runner(at), key)).status).toBe(200)
    const refused = await use(runner(at + 1), key)
    expect([at, refused.status, errorOf(refused).code]).toEqual([at, 401, "E_UNAUTHENTICATED"])
    expect((await use(runner(at), key)).status).toBe(401)
    const again = await revoke(runner(at + 1), key)
    expect(again.text).toBe((await revoke(runner(at), key)).text)
  }
})

it("[D-19] a runner that slept through the revocation refuses as well, the moment it is back", async () => {
  const keys = await newKeys()
  const [asleep, awake] = [runner(0), runner(1)]
  const held = await figure(asleep, 'effect_cluster_entities{type="ApiKey"}')
  expect(held).toBeGreaterThan(0)
  process.kill(asleep.pid, "SIGSTOP")
  try {
    // The actors of the runner that is asleep come up on the other one meanwhile.
    await Promise.all(
      keys.map((key) =>
        until("the key is revoked", async () => (await revoke(awake, key)).status === 200)
      )
    )
  } finally {
    process.kill(asleep.pid, "SIGCONT")
  }
  const answers = await Promise.all(keys.map((key) => use(asleep, key)))
  expect(answers.map(({ status }) => status)).toEqual(keys.map(() => 401))
})
