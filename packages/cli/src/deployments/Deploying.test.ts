import { expect, it } from "vitest"

import { gameOfEachTest, serviceOfEachTest } from "../testing/EachTest.ts"
import { tinyRoom } from "../testing/GameFolder.ts"
import { refusal } from "../testing/RecordingService.ts"
import { loginToken, runCommand } from "../testing/RunCommand.ts"
import { SkippingClock } from "../testing/SkippingClock.ts"

const service = serviceOfEachTest()
const game = gameOfEachTest()

const notReady = (retryAfterS: number) => ({
  ...refusal(503, "E_NOT_READY", "deployments: others are under way; try again"),
  headers: { "retry-after": String(retryAfterS) }
})
/** Deploys to a service that is not ready at first; the waits are those before it was asked again. */
const deployTo = async (answers: ReadonlyArray<ReturnType<typeof notReady>>) => {
  await game.write({ "room.ts": tinyRoom(), "service.json": '{"project":"p_0123456789abcdef"}' })
  const env = { ATRIUM_TOKEN: loginToken, ATRIUM_URL: service.url }
  const left = [...answers]
  service.answer = () => left.shift() ?? null
  const clock = new SkippingClock()
  const ended = await runCommand(["deploy"], { cwd: game.path, env, clock })
  return { ...ended, waits: clock.waitedMs.filter((ms) => ms > 1_000) }
}

it("[C-212] asks a service that is not ready again, when it wants to be asked", async () => {
  const { code, err, waits } = await deployTo([notReady(3), notReady(3600)])
  const waiting = "the service is not ready; waiting …"
  expect({ code, err, waits }).toEqual({
    code: 0,
    err: `${waiting}\n${waiting}`,
    waits: [3_000, 10_000]
  })
  expect(service.requests).toHaveLength(3)
})

it("[C-212] gives up after ten more attempts, with what the service says", async () => {
  const { code, err } = await deployTo(Array.from({ length: 20 }, () => notReady(2)))
  expect(code).toBe(1)
  expect(err).toMatch(/\nE_NOT_READY: deployments: others are under way; try again$/)
  expect(service.requests).toHaveLength(11)
})
