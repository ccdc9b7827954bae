import { describe, expect, it } from "vitest"

import { ago } from "../testing/Ago.ts"
import { gameOfEachTest, serviceOfEachTest } from "../testing/EachTest.ts"
import { refusal } from "../testing/RecordingService.ts"
import { loginToken, runCommand } from "../testing/RunCommand.ts"

const id = "p_0123456789abcdef"

const service = serviceOfEachTest()
const game = gameOfEachTest({ "service.json": `{"project":"${id}"}` })

const atrium = (argv: ReadonlyArray<string>, standard: { stdin?: string; typed?: string } = {}) =>
  runCommand(argv, {
    cwd: game.path,
    env: { ATRIUM_TOKEN: loginToken, ATRIUM_URL: service.url },
    ...standard
  })
const asked = (): ReadonlyArray<string> =>
  service.requests.map(({ method, path, body }) => `${method} ${path} ${body}`.trim())

const type = { type: "arena", class: "standard", maxClients: 8, schemaHash: "0123456789abcdef" }
const made = {
  version: 3,
  bytes: 5000,
  createdAt: ago(7500),
  roomTypes: [type],
  relay: false,
  rollbackOf: 1
}

describe("atrium rollback", () => {
  const answers = () => {
    service.answer = () => ({ status: 201, body: made })
  }

  it("[D-40] asks the service with the login, and says which version is current", async () => {
    answers()
    const { code, out, err } = await atrium(["rollback", "--yes"])
    expect({ code, out, err }).toEqual({
      code: 0,
      err: "",
      out: `version 3 of ${id} is current and has the code of version 1`
    })
    expect(asked()).toEqual([`POST /v1/projects/${id}/rollback {}`])
    expect(service.requests[0]?.authorization).toBe(`Bearer ${loginToken}`)
  })

  it("[D-41] names a version, and --json is one line for machines", async () => {
    answers()
    const { code, out } = await atrium(["rollback", "1", "--yes", "--json"])
    expect(code).toBe(0)
    expect(JSON.parse(out)).toEqual({ project: id, ...made })
    expect(asked()).toEqual([`POST /v1/projects/${id}/rollback {"version":1}`])
  })

  it("[D-41] asks first; anything but yes, or no terminal, changes nothing", async () => {
    answers()
    for (const standard of [{ typed: "n\n" }, { typed: "\n" }, { stdin: "" }]) {
      const { code, out, err } = await atrium(["rollback"], standard)
      expect({ code, out }).toEqual({ code: 2, out: "" })
      expect(err).toContain(
        `the rooms of ${id} go back to the code and schema of the version before`
      )
    }
    expect(asked()).toEqual([])
    expect(await atrium(["rollback"], { typed: "y\n" })).toMatchObject({ code: 0 })
  })

  it.each([["0"], ["-1"], ["1.5"], ["first"]])("[D-41] %s is no version", async (version) => {
    expect(await atrium(["rollback", "--yes", "--", version])).toMatchObject({ code: 2, out: "" })
    expect(asked()).toEqual([])
  })

  it.each([
    ["E_SCHEMA_BREAKING", 409, "deploy a mended version instead"],
    ["E_VERSION_NOT_FOUND", 404, "`atrium deployments` lists the versions"],
    ["E_NO_ROLLBACK", 409, "`atrium deployments` lists the versions"]
  ])("[C-350] a refusal with %s says what to do", async (code, status, hint) => {
    service.answer = () => refusal(status, code, "version 2 is the current one")
    const ended = await atrium(["rollback", "2", "--yes"])
    expect(ended).toMatchObject({ code: 1, out: "" })
    expect(ended.err).toContain(`${code}: version 2 is the current one`)
    expect(ended.err).toContain(hint)
  })
})

describe("atrium deployments", () => {
  const listed = [
    { ...made, current: true, rooms: 12 },
    { ...made, version: 2, bytes: 5100, rollbackOf: null, current: false, rooms: 1 }
  ]

  it("[D-40] lists each version with its size, schema and rooms, and marks the current one", async () => {
    service.answer = () => ({ status: 200, body: listed })
    const { code, out } = await atrium(["deployments"])
    expect(code).toBe(0)
    expect(out).toBe(
      [
        "VERSION  STATE               MADE    BYTES  ROOMS UP  SCHEMAS",
        "3        current, code of 1  2h ago  5000   12        arena 0123456789abcdef",
        "2                            2h ago  5100   1         arena 0123456789abcdef"
      ].join("\n")
    )
    expect(asked()).toEqual([`GET /v1/projects/${id}/deployments`])
  })

  it("[D-41] --json is what the service answered; without a version the list is empty", async () => {
    service.answer = () => ({ status: 200, body: listed })
    expect(JSON.parse((await atrium(["deployments", "--json"])).out)).toEqual(listed)
    service.answer = () => ({ status: 200, body: [] })
    expect(await atrium(["deployments"])).toEqual({ code: 0, out: "", err: "no deployments" })
  })
})
