import { readFile } from "node:fs/promises"
import { join } from "node:path"

import { beforeEach, describe, expect, it } from "vitest"

import { gameOfEachTest, serviceOfEachTest } from "../testing/EachTest.ts"
import { tinyRoom } from "../testing/GameFolder.ts"
import { createdId, deploymentOf, refusal } from "../testing/RecordingService.ts"
import { rehearsalOf } from "../testing/RehearsalAnswer.ts"
import { loginToken, runCommand, startCommand } from "../testing/RunCommand.ts"

const id = "p_0123456789abcdef"
const other = "p_fedcba9876543210"

const service = serviceOfEachTest()
const game = gameOfEachTest()

const env = (): Record<string, string> => ({ ATRIUM_TOKEN: loginToken, ATRIUM_URL: service.url })
const deploy = (...argv: ReadonlyArray<string>) =>
  runCommand(["deploy", ...argv], { cwd: game.path, env: env(), stdin: "" })
const asked = (): ReadonlyArray<string> =>
  service.requests.map(({ method, path }) => `${method} ${path}`)
// Asked so because a failure would otherwise show the whole bundle.
const bundleHas = (text: string): boolean | undefined => service.requests[0]?.body.includes(text)
const fileText = (name = "service.json"): Promise<string> => readFile(join(game.path, name), "utf8")

describe("an upload", () => {
  it("[D-41] sends the bundle with the login token and prints what became of it", async () => {
    await game.write({ "room.ts": tinyRoom(), "service.json": `{"project":"${id}"}` })
    const { code, out, err } = await deploy()
    const [request] = service.requests
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(asked()).toEqual([`POST /v1/projects/${id}/deployments`])
    expect(request).toMatchObject({
      authorization: `Bearer ${loginToken}`,
      contentType: "application/javascript"
    })
    expect(bundleHas('"room.ts#"')).toBe(true)
    expect(out).toBe(
      [
        `project  ${id}`,
        "version  1",
        `bytes    ${Buffer.byteLength(request?.body ?? "")}`,
        "rooms    tiny (standard, up to 8 clients)"
      ].join("\n")
    )
  })

  it("[D-41] --json is one line for machines", async () => {
    await game.write({ "room.ts": tinyRoom(), "service.json": `{"project":"${id}"}` })
    const { code, out } = await deploy("--json")
    expect(code).toBe(0)
    expect(JSON.parse(out)).toEqual({
      project: id,
      created: false,
      version: 1,
      bytes: expect.any(Number),
      createdAt: "2026-01-01T00:00:00.000Z",
      roomTypes: [
        { type: "tiny", class: "standard", maxClients: 8, schemaHash: "0123456789abcdef" }
      ],
      relay: false,
      rollbackOf: null,
      made: true,
      warnings: []
    })
    expect(out).not.toContain("\n")
  })

  it("[C-221] says that an unchanged bundle made no version", async () => {
    await game.write({ "room.ts": tinyRoom(), "service.json": `{"project":"${id}"}` })
    service.answer = (request) => ({
      status: 200,
      body: { ...deploymentOf(7, request), made: false }
    })
    expect((await deploy()).out).toContain("\nversion  7, as before: nothing has changed\n")
    expect(JSON.parse((await deploy("--json")).out)).toMatchObject({ version: 7, made: false })
  })

  it("[C-864] [C-977] says which worlds are made anew, and what rooms that share may lose", async () => {
    await game.write({ "room.ts": tinyRoom(), "service.json": `{"project":"${id}"}` })
    const newWorlds = [{ type: "tiny", was: "rapier3d 0.20.0", is: "rapier3d 0.21.0" }]
    const effects = { newWorlds, sharing: ["lobby"] }
    const body = { made: true, ...effects }
    service.answer = (request) => ({ status: 201, body: { ...deploymentOf(7, request), ...body } })
    expect((await deploy()).out).toContain(
      "\nstates   worlds of tiny are made anew of their entities: rapier3d 0.20.0 stored them, rapier3d 0.21.0 runs" +
        "\nstates   rooms of lobby share processes: when one fails, up to 19 others go back to their last stored states"
    )
    expect(JSON.parse((await deploy("--json")).out)).toMatchObject(effects)
  })

  it("[C-701] [C-703] [C-713] says what becomes of rooms, where it is not the usual", async () => {
    await game.write({ "room.ts": tinyRoom(), "service.json": `{"project":"${id}"}` })
    service.answer = (request) =>
      request.path.includes("rehearsals")
        ? { status: 201, body: rehearsalOf({ state: "passed" }) }
        : {
            status: 201,
            body: { ...deploymentOf(7, request), discards: true, strategy: "drain" }
          }
    const { code, out } = await deploy("--allow-breaking", "--strategy", "drain")
    expect(code).toBe(0)
    expect(asked()).toEqual([
      `POST /v1/projects/${id}/rehearsals`,
      `POST /v1/projects/${id}/deployments?allowBreaking=true&strategy=drain`
    ])
    expect(out.split("\n").slice(1, 3)).toEqual([
      "rooms    47 of 50 pass",
      "states   96 were led on, 4 are not led on"
    ])
    expect(out.split("\n").slice(-2)).toEqual([
      "states   rooms of older versions start anew, and their saves are lost",
      "states   rooms that are up stay on their version until they are empty"
    ])
    expect((await deploy("--strategy", "later")).code).toBe(2)
  })

  it("[C-713] deploys nothing when rooms fail in the rehearsal, and says which and why", async () => {
    await game.write({ "room.ts": tinyRoom(), "service.json": `{"project":"${id}"}` })
    service.answer = () => ({ status: 201, body: rehearsalOf({ state: "failed" }) })
    for (const argv of [[], ["--json"]]) {
      service.requests.length = 0
      const { code, err } = await deploy("--allow-breaking", ...argv)
      expect(code).toBe(1)
      expect(asked()).toEqual([`POST /v1/projects/${id}/rehearsals`])
      expect(err).toContain("E_REHEARSAL_FAILED: 3 of 50 rooms fail: bad-1, bad-2, bad-3\n")
      expect(err).toContain("see one: atrium rooms saves bad-1\n")
      expect(err).toContain("nothing was deployed")
    }
  })

  it("[D-41] warnings go to standard error and stop nothing", async () => {
    const odd = "export const odd = (x: number) => x === NaN"
    await game.write({
      "room.ts": `${tinyRoom()}\n${odd}`,
      "service.json": `{"project":"${id}"}`
    })
    const { code, out, err } = await deploy()
    expect(code).toBe(0)
    expect(err).toMatch(/^warning: room\.ts:7:\d+ .*NaN/)
    expect(out).not.toContain("warning")
  })

  it("[D-41] says what takes long, on standard error", async () => {
    await game.write({ "room.ts": tinyRoom(), "service.json": `{"project":"${id}"}` })
    const running = startCommand(["deploy"], { cwd: game.path, env: env() })
    service.answer = async () => {
      await expect.poll(running.said).toMatch(/^uploading [\d.]+ \w+ to p_.* …\n$/m)
      return null
    }
    expect(await running.ended).toMatchObject({ code: 0 })
  })

  it("[D-41] --url wins over ATRIUM_URL", async () => {
    await game.write({ "room.ts": tinyRoom(), "service.json": `{"project":"${id}"}` })
    const { code } = await runCommand(["deploy", "--url", `${service.url}/`], {
      cwd: game.path,
      env: { ...env(), ATRIUM_URL: "http://127.0.0.1:9" }
    })
    expect(code).toBe(0)
    expect(asked()).toEqual([`POST /v1/projects/${id}/deployments`])
  })
})

describe("room files", () => {
  it.each(["room.ts", "room.js", "src/room.ts", "src/room.js"])(
    "[file.cwd-only] %s is found by its name",
    async (name) => {
      const code = tinyRoom()
      await game.write({ [name]: code, "service.json": `{"project":"${id}"}` })
      expect(await deploy()).toMatchObject({ code: 0 })
      expect(bundleHas(`"${name}#"`)).toBe(true)
    }
  )

  it("[D-41] several room files make one deployment", async () => {
    const second = tinyRoom().replace('"tiny"', '"small"')
    await game.write({
      "a.ts": tinyRoom(),
      "b/room.ts": second,
      "service.json": `{"project":"${id}"}`
    })
    expect(await deploy("a.ts", "b")).toMatchObject({ code: 0 })
    expect(asked()).toEqual([`POST /v1/projects/${id}/deployments`])
    expect(bundleHas('"a.ts#"')).toBe(true)
    expect(bundleHas('"b/room.ts#"')).toBe(true)
  })

  it("[D-41] a folder on the command line deploys as if it were the working directory", async () => {
    await game.write({
      "service.json": `{"project":"${other}"}`,
      "inner/room.ts": tinyRoom(),
      "inner/service.json": `{"project":"${id}"}`
    })
    expect(await deploy("inner")).toMatchObject({ code: 0 })
    expect(asked()).toEqual([`POST /v1/projects/${id}/deployments`])
    expect(bundleHas('"room.ts#"')).toBe(true)
  })

  it("[D-41] a folder without a room file, and a path that does not exist, are file errors", async () => {
    expect(await deploy()).toEqual({
      code: 2,
      out: "",
      err: ".: holds no room file (room.ts, room.js, src/room.ts, src/room.js), and no schema file for rooms without code (schema.ts, schema.js, src/schema.ts, src/schema.js); name one on the command line"
    })
    expect(await deploy("rom.ts")).toMatchObject({
      code: 2,
      err: "rom.ts: there is no such file or folder"
    })
    expect(asked()).toEqual([])
  })
})

describe("the project of a deploy", () => {
  const withSchema = tinyRoom(`project: "${other}"`)

  it("[file.resolve.deploy] schemas that name two projects are refused", async () => {
    const second = tinyRoom(`project: "${id}"`).replace('"tiny"', '"small"')
    await game.write({ "a.ts": withSchema, "b.ts": second })
    expect(await deploy("a.ts", "b.ts")).toEqual({
      code: 1,
      out: "",
      err: `E_BUNDLE_INVALID: the schemas name several projects: ${other}, ${id}; say which, with --project`
    })
  })

  it("[file.resolve.deploy] code that does not load creates no project", async () => {
    await game.write({ "room.ts": `${tinyRoom()}\nthrow new TypeError("not today")` })
    expect(await deploy()).toEqual({
      code: 1,
      out: "",
      err: "E_BUNDLE_INVALID: the bundle does not load: TypeError: not today"
    })
    expect(asked()).toEqual([])
  })

  it("[file.resolve.deploy] while it looks for the schema, room code sees no files or tokens", async () => {
    const nosy = `
      const { process } = globalThis as any
      if (Object.keys(process.env).length > 0) throw new Error("it sees the environment")
      process.getBuiltinModule("node:fs").readdirSync("/")`
    await game.write({ "room.ts": tinyRoom() + nosy })
    const { code, err } = await deploy()
    expect(code).toBe(1)
    expect(err).toMatch(/^E_BUNDLE_INVALID: the bundle does not load: Error: Access to this API/)
  })

  it("[file.project.create-when-none] with no id anywhere the project is created and kept", async () => {
    await game.write({
      "room.ts": tinyRoom(),
      "service.json": '{ "name": "Tiny", "boards": {} }\n'
    })
    const { code, out } = await deploy()
    expect(code).toBe(0)
    const uploaded = `POST /v1/projects/${createdId}/deployments?settingsBytes=13`
    expect(asked()).toEqual(["POST /v1/projects", uploaded])
    expect(service.requests[0]).toMatchObject({
      body: '{"name":"Tiny"}',
      authorization: `Bearer ${loginToken}`
    })
    expect(out).toMatch(
      new RegExp(`^project  ${createdId} \\(created; its id is in service.json\\)\n`)
    )
    expect(await fileText()).toBe(`{ "project": "${createdId}", "name": "Tiny", "boards": {} }\n`)
    await deploy()
    expect(asked().slice(2)).toEqual([`GET /v1/projects/${createdId}`, uploaded])
  })

  it("[file.project.create-when-none] the file is made if there is none; named as the folder", async () => {
    await game.write({ "little game/room.ts": tinyRoom() })
    const { code, out } = await deploy("little game", "--json")
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ project: createdId, created: true })
    expect(service.requests[0]?.body).toBe('{"name":"little game"}')
    expect(await fileText("little game/service.json")).toBe(`{\n  "project": "${createdId}"\n}\n`)
  })

  it("[D-41] a name that the contract does not allow is not sent", async () => {
    await game.write({ "room.ts": tinyRoom() })
    expect(await deploy("--name", "a".repeat(101))).toEqual({
      code: 2,
      out: "",
      err: "name: must have 1 to 100 characters"
    })
    expect(asked()).toEqual([])
    expect(await deploy("--name", "a".repeat(100))).toMatchObject({ code: 0 })
  })

  it("[file.project.unknown-stops] an id that is not the account's creates nothing", async () => {
    await game.write({ "room.ts": tinyRoom(), "service.json": `{"project":"${id}"}` })
    service.answer = () => refusal(404, "E_NOT_FOUND", "not found")
    expect(await deploy()).toEqual({
      code: 1,
      out: "",
      err: `E_NOT_FOUND: not found\nyour account has no project ${id}, which is from service.json`
    })
    expect(asked()).toEqual([`POST /v1/projects/${id}/deployments`])
  })

  it("[D-05] an id cannot lead to another route", async () => {
    await game.write({ "room.ts": tinyRoom() })
    await deploy("--project", "../keys?x#y")
    expect(asked()).toEqual(["POST /v1/projects/..%2Fkeys%3Fx%23y/deployments"])
  })
})

describe("a refusal", () => {
  beforeEach(() => game.write({ "room.ts": tinyRoom(), "service.json": `{"project":"${id}"}` }))

  it("[D-41] of the service is its code and message", async () => {
    service.answer = () => refusal(409, "E_SCHEMA_BREAKING", "tiny: score.red is gone")
    expect(await deploy("--json")).toEqual({
      code: 1,
      out: "",
      err: "E_SCHEMA_BREAKING: tiny: score.red is gone"
    })
  })

  it("[C-700] of a breaking schema says what it concerns, and the three ways", async () => {
    const difference = `entities.${"x".repeat(90)} was removed`
    const error = {
      code: "E_SCHEMA_BREAKING",
      message: "tiny: entities.xxx…",
      type: "tiny",
      difference,
      rooms: 1,
      saves: 12
    }
    service.answer = () => ({ status: 409, body: { error } })
    const { code, err } = await deploy()
    expect(code).toBe(1)
    expect(err.split("\n")).toEqual([
      `E_SCHEMA_BREAKING: tiny: ${difference}`,
      "It concerns 1 stored room and 12 saves. Three ways lead on:",
      expect.stringMatching(/^ {2}a migration .*atrium migrate create.*--allow-breaking/),
      expect.stringMatching(/^ {2}preRelease .*service\.json/),
      expect.stringMatching(/^ {2}a new type .*tiny/)
    ])
  })

  it.each([
    [{ rooms: 1, saves: 12 }],
    [{ type: "tiny", difference: "entities.a was removed" }],
    [{ type: "tiny", difference: "entities.a was removed", rooms: "1", saves: 12 }]
  ])(
    "[C-700] of a breaking schema is code and message alone where a part is missing: %j",
    async (parts) => {
      const error = { code: "E_SCHEMA_BREAKING", message: "tiny: entities.a was removed", ...parts }
      service.answer = () => ({ status: 409, body: { error } })
      expect(await deploy()).toMatchObject({
        code: 1,
        err: "E_SCHEMA_BREAKING: tiny: entities.a was removed"
      })
    }
  )

  it("[D-41] of the token says which token is meant", async () => {
    service.answer = () => refusal(401, "E_UNAUTHENTICATED", "the credential is not valid")
    const { code, err } = await deploy()
    expect(code).toBe(1)
    expect(err).toMatch(
      /^E_UNAUTHENTICATED: the credential is not valid\nATRIUM_TOKEN holds another/
    )
    expect(err).not.toContain(loginToken)
  })

  it("[D-41] of the bundler names file, line and column", async () => {
    await game.write({ "room.ts": "export const x =\nconst y = 1" })
    expect(await deploy()).toMatchObject({
      code: 1,
      err: 'E_BUNDLE_INVALID: room.ts:2:1 Unexpected "const"'
    })
    await game.write({ "room.ts": 'import "node:fs"' })
    expect(await deploy()).toMatchObject({
      code: 1,
      err: "E_ROOM_IMPORT: room.ts:1:8 node:fs: a room has no Node modules"
    })
    expect(asked()).toEqual([])
  })

  it.each(["<html>", '{"version":"one"}', ""])(
    "[D-41] an answer that is not Atrium's: %j",
    async (body) => {
      service.answer = () => ({ status: 200, body })
      expect(await deploy()).toMatchObject({
        code: 1,
        err: `${service.url} answered 200 in a form that is not Atrium's; check the address`
      })
      service.answer = () => ({ status: 502, body })
      expect(await deploy()).toMatchObject({
        code: 1,
        err: `${service.url} answered 502 in a form that is not Atrium's; check the address`
      })
    }
  )

  it("[D-41] fails when nothing answers at the address, and names it", async () => {
    const { url } = service
    await service.close()
    expect(await deploy()).toEqual({
      code: 1,
      out: "",
      err: `nothing answers at ${url}; start it with \`npm start\``
    })
  })
})
