import { expect, it } from "vitest"

import { gameOfEachTest, serviceOfEachTest } from "../testing/EachTest.ts"
import { tinyRoom } from "../testing/GameFolder.ts"
import { deploymentOf } from "../testing/RecordingService.ts"
import { rehearsalOf } from "../testing/RehearsalAnswer.ts"
import { loginToken, runCommand } from "../testing/RunCommand.ts"

const id = "p_0123456789abcdef"

const service = serviceOfEachTest()
const game = gameOfEachTest()

const env = (): Record<string, string> => ({ ATRIUM_TOKEN: loginToken, ATRIUM_URL: service.url })
const deploy = (...argv: ReadonlyArray<string>) =>
  runCommand(["deploy", ...argv], { cwd: game.path, env: env(), stdin: "" })
const asked = (): ReadonlyArray<string> =>
  service.requests.map(({ method, path }) => `${method} ${path}`)

it("[C-990] deploys with a quarantine all the same, and says what fails", async () => {
  await game.write({ "room.ts": tinyRoom(), "service.json": `{"project":"${id}"}` })
  service.answer = (request) =>
    request.path.includes("rehearsals")
      ? { status: 201, body: rehearsalOf({ state: "failed" }) }
      : { status: 201, body: { ...deploymentOf(7, request), quarantine: true } }
  const { code, out } = await deploy("--allow-breaking", "--quarantine")
  expect(code).toBe(0)
  expect(asked().at(-1)).toBe(
    `POST /v1/projects/${id}/deployments?allowBreaking=true&quarantine=true`
  )
  expect(out).toContain("\n3 of 50 rooms fail: bad-1, bad-2, bad-3\n")
  expect(out.split("\n").at(-1)).toBe(
    "states   rooms that fail are closed until a later version leads them on; `atrium rooms` lists them"
  )
  service.answer = () => ({ status: 201, body: rehearsalOf({ state: "stopped" }) })
  expect((await deploy("--allow-breaking", "--quarantine")).code).toBe(1)
  const alone = await deploy("--quarantine")
  expect(alone.code).toBe(2)
  expect(alone.err).toContain("--quarantine goes with --allow-breaking")
})
