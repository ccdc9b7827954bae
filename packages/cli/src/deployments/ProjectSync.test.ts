import { describe, expect, it } from "vitest"

import { gameOfEachTest, serviceOfEachTest } from "../testing/EachTest.ts"
import { tinyRoom } from "../testing/GameFolder.ts"
import { createdId, refusal, settingsOf } from "../testing/RecordingService.ts"
import { loginToken, runCommand } from "../testing/RunCommand.ts"

const id = "p_0123456789abcdef"

const service = serviceOfEachTest()
const game = gameOfEachTest()

const run = (standard: { readonly stdin?: string; readonly typed?: string }, argv = ["deploy"]) =>
  runCommand(argv, {
    cwd: game.path,
    env: { ATRIUM_TOKEN: loginToken, ATRIUM_URL: service.url },
    ...standard
  })
const deploy = (...argv: ReadonlyArray<string>) => run({ stdin: "" }, ["deploy", ...argv])
const asked = (): ReadonlyArray<string> =>
  service.requests.map(({ method, path }) => `${method} ${path.split("?", 1)[0]}`)
const sent = (): ReadonlyArray<unknown> =>
  service.requests.filter(({ path }) => path.includes("/deployments")).map(settingsOf)

const declare = (keys: object, files: Readonly<Record<string, string>> = {}) =>
  game.write({
    "room.ts": tinyRoom(),
    "service.json": JSON.stringify({ project: id, ...keys }),
    ...files
  })
const uploaded = `POST /v1/projects/${id}/deployments`

describe("what the file declares", () => {
  it("[file.reads.deploy] [C-321] goes with the bundle of every deploy, and nothing else does", async () => {
    const declared = {
      queues: { duel: { size: 2 } },
      boards: {},
      origins: ["https://game.example"],
      audienceRole: null,
      preRelease: false
    }
    await declare({ ...declared, vmMemMib: 256 })
    expect(await deploy()).toMatchObject({ code: 0 })
    expect(await deploy()).toMatchObject({ code: 0 })
    expect(asked()).toEqual([uploaded, uploaded])
    expect(sent()).toEqual([declared, declared])
    expect(service.requests[0]?.body.includes('"room.ts#"')).toBe(true)
    await declare({})
    expect(await deploy()).toMatchObject({ code: 0, err: "" })
    expect(sent()[2]).toBeNull()
  })

  it.each<readonly [id: string, keys: object, fault: string]>([
    [
      "file.validate.queues",
      { queues: { odd: { size: 1 } } },
      "queues.odd.size: must be a whole number from 2 to 64"
    ],
    [
      "file.validate.boards-direction",
      { boards: { main: {} } },
      "boards.main.direction: must be higher or lower"
    ],
    [
      "file.validate.origins-entry",
      { origins: ["https://a.example/"] },
      "origins: no bare origin such as https://game.example: https://a.example/"
    ],
    [
      "file.validate.audienceRole",
      { audienceRole: "a b" },
      "audienceRole: must have 1 to 32 of A-Z a-z 0-9 _ - . :, or be null"
    ],
    ["file.validate.preRelease-type", { preRelease: 1 }, "preRelease: must be true or false"]
  ])("[%s] is refused before anything is sent: %j", async (_, keys, fault) => {
    await declare(keys)
    expect(await deploy()).toEqual({ code: 2, out: "", err: `service.json: field ${fault}` })
    expect(asked()).toEqual([])
  })

  it("[queues.same-message-as-dashboard] shows the service's message when it refuses", async () => {
    await declare({ audienceRole: "viewer" })
    service.answer = () => refusal(400, "E_BAD_REQUEST", "field audienceRole: no")
    expect(await deploy()).toEqual({
      code: 1,
      out: "",
      err: "E_BAD_REQUEST: field audienceRole: no"
    })
  })
})

describe("a name", () => {
  it("[file.name.rename-before-upload] that differs is a rename before the upload, and only then", async () => {
    await declare({ name: "New" })
    expect(await deploy()).toMatchObject({ code: 0, err: "" })
    const read = `GET /v1/projects/${id}`
    expect(asked()).toEqual([read, `PUT /v1/projects/${id}/name`, uploaded])
    expect(service.requests[1]?.body).toBe('{"name":"New"}')
    await deploy()
    expect(asked().slice(3)).toEqual([read, uploaded])
    await declare({ name: "Newer" })
    await deploy("--name", "flag")
    expect(asked().slice(5)).toEqual([uploaded])
  })

  it("[file.name.directory-never-renames] left out renames nothing", async () => {
    await declare({})
    await deploy()
    expect(asked()).toEqual([uploaded])
  })

  it("[file.project.unknown-stops] of a project that the account does not have uploads nothing", async () => {
    await declare({ name: "New" })
    service.answer = () => refusal(404, "E_NOT_FOUND", "not found")
    expect(await deploy()).toMatchObject({
      code: 1,
      err: `E_NOT_FOUND: not found\nyour account has no project ${id}, which is from service.json`
    })
    expect(asked()).toEqual([`GET /v1/projects/${id}`])
  })
})

describe("warnings", () => {
  it("[C-322] name unknown keys, and stop nothing", async () => {
    await declare({ orgins: [], preRelease: true })
    const warnings = [
      'service.json: "orgins" is no key of a project file and is ignored; did you mean origins?'
    ]
    const { code, out, err } = await deploy("--json")
    expect({ code, err }).toEqual({
      code: 0,
      err: warnings.map((text) => `warning: ${text}`).join("\n")
    })
    expect(JSON.parse(out)).toMatchObject({ warnings })
    expect(sent()).toEqual([{ preRelease: true }])
  })

  it("[file.client.warns-not-refuses] name the way from the client to room code", async () => {
    await declare({ client: "web/main.ts" }, { "web/main.ts": 'import "../room.ts"' })
    const { code, err } = await deploy()
    expect(code).toBe(0)
    expect(err).toBe(
      "warning: service.json: client imports room code, which every player can read then: web/main.ts > room.ts; move what both need to a file of its own"
    )
    expect(asked()).toEqual([uploaded])
    await declare({ client: "gone.ts" })
    expect(await deploy()).toMatchObject({ code: 0, err: "" })
  })
})

describe("the origins of a first deploy", () => {
  const question =
    "The origin of the game's page in production, such as https://game.example? Empty: every page may join"
  const everyPage =
    "warning: origins: none declared, so that pages of every origin may join; list them in service.json"
  const first = (keys: object = {}) =>
    game.write({ "room.ts": tinyRoom(), "service.json": JSON.stringify(keys) })

  it("[C-324] are asked for at a terminal, and sent with it", async () => {
    await first()
    expect(await run({ typed: "https://game.example/\n" })).toMatchObject({
      code: 0,
      err: question
    })
    expect(sent()).toEqual([{ origins: ["https://game.example"] }])
    expect(asked()).toEqual(["POST /v1/projects", `POST /v1/projects/${createdId}/deployments`])
    expect(await run({ typed: "" })).toMatchObject({ code: 0, err: "" })
    expect(sent()[1]).toBeNull()
  })

  it("[C-324] that are none make no project", async () => {
    await first()
    expect(await run({ typed: "game.example\n" })).toEqual({
      code: 2,
      out: "",
      err: `${question}\nfield origins: no bare origin such as https://game.example: game.example\nnothing was deployed`
    })
    expect(asked()).toEqual([])
  })

  it("[C-324] stay open with a warning where nobody answers or can be asked", async () => {
    await first()
    expect(await run({ typed: "\n" })).toMatchObject({ code: 0, err: `${question}\n${everyPage}` })
    await first()
    expect(await run({ stdin: "" })).toMatchObject({ code: 0, err: everyPage })
    await first()
    expect(await run({}, ["deploy", "--json"])).toMatchObject({ code: 0, err: everyPage })
    expect(sent()).toEqual([null, null, null])
  })

  it("[origins.first-deploy-no-prompt] are not asked for when the file declares them", async () => {
    await first({ origins: [] })
    expect(await run({ typed: "" })).toMatchObject({ code: 0, err: "" })
    expect(sent()).toEqual([{ origins: [] }])
  })
})
