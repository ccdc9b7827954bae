import { expect, it } from "vitest"

import { gameOfEachTest, serviceOfEachTest } from "../testing/EachTest.ts"
import { tinyRoom } from "../testing/GameFolder.ts"
import { refusal } from "../testing/RecordingService.ts"
import { loginToken, runCommand } from "../testing/RunCommand.ts"

const id = "p_0123456789abcdef"

const service = serviceOfEachTest()
const game = gameOfEachTest()

const deploy = () =>
  runCommand(["deploy"], {
    cwd: game.path,
    env: { ATRIUM_TOKEN: loginToken, ATRIUM_URL: service.url }
  })
const asked = (): ReadonlyArray<string> =>
  service.requests.map(({ method, path }) => `${method} ${path}`)

const declare = (role: unknown) =>
  game.write({
    "room.ts": tinyRoom(),
    "service.json": JSON.stringify({ project: id, audienceRole: role })
  })
const uploaded = `POST /v1/projects/${id}/deployments`
const [read, set] = [`GET /v1/projects/${id}`, `PATCH /v1/projects/${id}`]

it("[audienceRole.synced] [audienceRole.null-disables] every deploy makes the project what the file says", async () => {
  await declare("viewer")
  expect(await deploy()).toMatchObject({ code: 0, err: "" })
  expect(asked()).toEqual([uploaded, read, set])
  expect(service.requests[2]?.body).toBe('{"name":"kept","audienceRole":"viewer"}')
  await deploy()
  expect(asked().slice(3)).toEqual([uploaded, read])
  await declare(null)
  expect(await deploy()).toMatchObject({ code: 0 })
  expect(asked().slice(5)).toEqual([uploaded, read, set])
  expect(service.requests[7]?.body).toBe('{"name":"kept","audienceRole":null}')
})

it("[file.audienceRole.omitted] neither reads nor sets a role that the file does not declare", async () => {
  await game.write({ "room.ts": tinyRoom(), "service.json": `{"project":"${id}"}` })
  expect(await deploy()).toMatchObject({ code: 0 })
  expect(asked()).toEqual([uploaded])
})

it("[file.validate.audienceRole] refuses a malformed role before anything is sent", async () => {
  await declare("a b")
  expect(await deploy()).toEqual({
    code: 2,
    out: "",
    err: "service.json: audienceRole: must have 1 to 32 of A-Z a-z 0-9 _ - . :, or be null"
  })
  expect(asked()).toEqual([])
})

it("[audienceRole.synced] shows the service's message when it refuses", async () => {
  await declare("viewer")
  service.answer = ({ method }) =>
    method === "PATCH" ? refusal(400, "E_BAD_REQUEST", "field audienceRole: no") : null
  expect(await deploy()).toEqual({
    code: 1,
    out: "",
    err: "E_BAD_REQUEST: field audienceRole: no"
  })
})
