import { readFile } from "node:fs/promises"
import { join } from "node:path"

import { defineSchema, describe as describeSchema, s, schemaHash } from "@atrium/sdk/schema"
import { playerHash, playerUnion } from "@atrium/wire/schema/PlayerUnion"
import { beforeEach, describe, expect, it } from "vitest"

import { gameOfEachTest, serviceOfEachTest } from "../testing/EachTest.ts"
import { refusal } from "../testing/RecordingService.ts"
import { loginToken, runCommand } from "../testing/RunCommand.ts"

const id = "p_0123456789abcdef"
const service = serviceOfEachTest()
const game = gameOfEachTest()

const run = (...argv: ReadonlyArray<string>) =>
  runCommand(argv, {
    cwd: game.path,
    env: { ATRIUM_TOKEN: loginToken, ATRIUM_URL: service.url },
    stdin: ""
  })
const create = (...argv: ReadonlyArray<string>) => run("migrate", "create", ...argv)
const migrationText = (name: string): Promise<string> =>
  readFile(join(game.path, "migrations", name), "utf8")

const room = (singletons: string): string => `
  import { defineRoom } from "@atrium/sdk/room"
  import { defineSchema, s } from "@atrium/sdk/schema"
  export const tiny = defineRoom(defineSchema({ type: "tiny", singletons: ${singletons} }), {})`
const deployedSchema = defineSchema({ type: "tiny", singletons: { it: { a: s.u8(), b: s.u8() } } })

/** The answers of a service on which versions are deployed; relay = rooms without code. */
const deployed = ({ relay = false, version = 2 } = {}) => {
  const described = describeSchema(deployedSchema)
  const fields = playerUnion([described])
  const row = {
    version,
    bytes: 1,
    createdAt: "2026-01-01T00:00:00.000Z",
    roomTypes: [
      { type: "tiny", class: "standard", maxClients: 8, schemaHash: schemaHash(deployedSchema) }
    ],
    relay,
    rollbackOf: null
  }
  service.answer = ({ path }) =>
    path.endsWith("/deployments")
      ? { status: 200, body: [{ ...row, current: true, rooms: 0 }] }
      : {
          status: 200,
          body: {
            ...row,
            schemas: [{ type: "tiny", hash: schemaHash(deployedSchema), schema: described }],
            players: { hash: playerHash(fields), fields }
          }
        }
}

beforeEach(() =>
  game.write({
    "service.json": `{"project":"${id}"}`,
    "room.ts": room("{ it: { a: s.u8(), c: s.u8() } }")
  })
)

describe("migrate create", () => {
  it("[C-709] writes the migration of the next version from what is deployed", async () => {
    deployed()
    const { code, out, err } = await create("no-more-b")
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(out.split("\n")).toEqual([
      "migrations/0003-no-more-b.ts is written",
      "  tiny: singletons.it.b was removed",
      "read it through, then: atrium deploy --allow-breaking"
    ])
    const text = await migrationText("0003-no-more-b.ts")
    expect(text).toContain(`from: "${schemaHash(deployedSchema)}"`)
    expect(text).toContain("a: old.it.a,")
    expect(service.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      `GET /v1/projects/${id}/deployments`,
      `GET /v1/projects/${id}/deployments/2`
    ])
  })

  it("[C-709] is named after the room type, counts on, and tells machines what it did", async () => {
    await game.write({ "migrations/0007-other.ts": "export const other = 1" })
    deployed()
    const { out } = await create("--json")
    const written = { path: "migrations/0008-tiny.ts", again: false, undecided: 0 }
    expect(JSON.parse(out)).toEqual({ ...written, types: ["tiny"] })
  })

  it("[C-709] counts the values that nobody can infer", async () => {
    await game.write({ "room.ts": room("{ it: { a: s.string(4), b: s.bool() } }") })
    deployed()
    expect((await create()).out).toContain("look for `undecided` in it: 2 of its values")
  })

  it("[C-709] writes the schemas of a migration anew when they change before the deploy", async () => {
    deployed()
    await create("mine")
    const mine = (await migrationText("0003-mine.ts")).replace("old.it.a,", "old.it.a + 1,")
    await game.write({
      "migrations/0003-mine.ts": mine,
      "room.ts": room("{ it: { a: s.u8(), d: s.u8() } }")
    })
    const { code, out } = await create()
    expect([code, out.split("\n")[0]]).toEqual([
      0,
      "migrations/0003-mine.ts: its schemas are written anew"
    ])
    const text = await migrationText("0003-mine.ts")
    expect(text).toContain("old.it.a + 1,")
    expect(text).toContain("readonly d: number")
  })

  it("[C-709] leaves a migration alone whose marks are gone, and says so", async () => {
    deployed()
    await create("mine")
    const mine = (await migrationText("0003-mine.ts")).replace("// #endregion", "")
    await game.write({ "migrations/0003-mine.ts": mine })
    expect(await create()).toMatchObject({
      code: 2,
      err: expect.stringContaining("migrations/0003-mine.ts: is for this change already")
    })
    expect(await migrationText("0003-mine.ts")).toBe(mine)
  })

  it("[C-709] writes nothing where nothing breaks, for rooms without code, and before the first deploy", async () => {
    const nothing = { code: 0, out: expect.stringContaining("no migration is needed") }
    deployed()
    await game.write({ "room.ts": room("{ it: { a: s.u8(), b: s.u8(), c: s.u8() } }") })
    expect(await create()).toMatchObject(nothing)
    await game.write({ "room.ts": room("{ it: { a: s.u8() } }") })
    deployed({ relay: true })
    expect(await create()).toMatchObject(nothing)
    service.answer = () => ({ status: 200, body: [] })
    expect(await create()).toMatchObject(nothing)
    expect(JSON.parse((await create("--json")).out)).toEqual({
      path: null,
      types: [],
      undecided: 0
    })
    await expect(migrationText("0003-tiny.ts")).rejects.toThrow("ENOENT")
  })

  it.each([
    [["Bad"], 2, /1 to 60 of a-z/],
    [["--room", "nowhere.ts"], 2, /nowhere\.ts: there is no such file/]
  ])("[D-41] %j is refused", async (argv, code, says) => {
    deployed()
    expect(await create(...argv)).toMatchObject({ code, err: expect.stringMatching(says) })
  })

  it("[T-14] takes a bad project of the file as none, and looks at no other key but the name", async () => {
    await game.write({ "service.json": '{"project":5,"client":5,"boards":5}' })
    expect(await create()).toMatchObject({ code: 2, err: expect.stringContaining("project: say") })
    deployed()
    expect(await create("--project", id)).toMatchObject({ code: 0 })
    await game.write({ "service.json": '{"name":5}' })
    expect(await create("--project", id)).toMatchObject({
      code: 2,
      err: expect.stringContaining("name")
    })
  })

  it("[D-41] and a deploy end with 2 when the folder of migrations cannot be read", async () => {
    await game.write({ migrations: "a file" })
    deployed()
    const unread = { code: 2, out: "", err: expect.stringMatching(/^migrations: .*migrations/) }
    expect(await create()).toEqual(unread)
    service.requests.length = 0
    expect(await run("deploy")).toEqual(unread)
    expect(service.requests).toEqual([])
  })

  it("[D-41] shows the refusal of the service, and of code that does not load", async () => {
    service.answer = () => refusal(404, "E_NOT_FOUND", "not found")
    expect(await create()).toMatchObject({ code: 1, err: expect.stringContaining("E_NOT_FOUND") })
    await game.write({ "room.ts": 'throw new Error("no room")' })
    expect(await create()).toMatchObject({ code: 1, err: expect.stringContaining("no room") })
  })
})

describe("a deploy", () => {
  it("[C-704] brings the migrations of the folder with the rooms", async () => {
    deployed()
    await create("mine")
    await game.write({ "migrations/notes.md": "no code", "migrations/later.ts": "export {" })
    service.answer = () => null
    expect((await run("deploy")).code).toBe(0)
    const sent = service.requests.at(-1)?.body ?? ""
    expect([sent.includes('"migrations/0003-mine.ts#"'), sent.includes("later.ts")]).toEqual([
      true,
      false
    ])
  })
})
