import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { stripVTControlCharacters } from "node:util"

import { describe, expect, it } from "vitest"

import { ago } from "../testing/Ago.ts"
import { gameOfEachTest, serviceOfEachTest } from "../testing/EachTest.ts"
import { refusal } from "../testing/RecordingService.ts"
import { apiKey, runCommand } from "../testing/RunCommand.ts"

const id = "p_0123456789abcdef"

const row = (roomId: string, fields: object = {}) => ({
  project: id,
  roomId,
  status: "hibernated",
  slot: 0,
  lastSeen: ago(7500),
  clients: 0,
  maxClients: 64,
  backfill: false,
  retention: null,
  retentionOverride: null,
  deletesAt: null,
  ...fields
})
const detail = {
  roomId: "arena-1",
  status: "hibernated",
  type: "arena",
  class: "standard",
  retention: "30d",
  retentionOverride: "30d",
  deletesAt: "2099-01-01T00:00:00.000Z",
  saves: 3,
  stateBytes: 4096,
  lastSeen: ago(7500)
}
const save = {
  saveId: "sv_0123456789abcdef",
  createdAt: ago(7500),
  bytes: 4096,
  version: 2,
  schemaHash: "0123456789abcdef",
  reason: "hibernate"
}

const service = serviceOfEachTest()
const game = gameOfEachTest({ "service.json": `{"project":"${id}"}` })

const env = (): Record<string, string> => ({ SERVICE_API_KEY: apiKey, ATRIUM_URL: service.url })
const place = () => ({ cwd: game.path, env: env() })
const rooms = (...argv: ReadonlyArray<string>) => runCommand(["rooms", ...argv], place())
const answers = (status: number, body: unknown): void => {
  service.answer = () => ({ status, body })
}
const asked = (): ReadonlyArray<string> =>
  service.requests.map(({ method, path, body }) => `${method} ${path} ${body}`.trim())
const routes = `/v1/projects/${id}/rooms`

describe("atrium rooms", () => {
  it("[C-990] says which rooms are in quarantine", async () => {
    answers(200, [row("bad", { status: "closed", quarantined: 2 })])
    expect((await rooms()).out).toMatch(/^bad +quarantined +0\/64 /m)
    answers(200, { ...detail, status: "closed", quarantined: 2, deletesAt: null })
    expect((await rooms("get", "arena-1")).out).toMatch(
      /^status +closed, in quarantine: version 2 does not lead its state on$/m
    )
  })

  it("[cli.rooms.list] lists rooms, with the key of SERVICE_API_KEY", async () => {
    answers(200, [
      row("arena-1", { status: "awake", clients: 3, lastSeen: ago(5400) }),
      row("b", { retention: "1d", retentionOverride: "1d", deletesAt: "2020-01-01T00:00:00.000Z" })
    ])
    const { code, out, err } = await rooms()
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(asked()).toEqual([`GET ${routes}`])
    expect(service.requests[0]?.authorization).toBe(`Bearer ${apiKey}`)
    expect(out.replace(/ +\d+d ago/, "  LONG ago")).toBe(
      [
        "ROOM     STATUS      CLIENTS  SEEN    DELETED    RETENTION",
        "arena-1  awake       3/64     1h ago  never      forever",
        "b        hibernated  0/64     2h ago  LONG ago  1d (its own)"
      ].join("\n")
    )
  })

  const filters: ReadonlyArray<readonly [string, ReadonlyArray<string>, string]> = [
    ["cli.rooms.list", ["--active"], "?active=true"],
    ["T-11", ["--idle"], "?active=false"],
    ["cli.rooms.list", ["--idle-longer-than", "36h"], "?idle-longer-than=36h"],
    ["T-11", ["--idle", "--idle-longer-than", "30d"], "?active=false&idle-longer-than=30d"]
  ]
  it.each(filters)("[%s] %j asks for %s", async (_, argv, query) => {
    answers(200, [])
    expect(await rooms(...argv)).toEqual({ code: 0, out: "", err: "no rooms" })
    expect(asked()).toEqual([`GET ${routes}${query}`])
  })

  it("[D-41] --json is what the service said, on one line", async () => {
    const found = [row("arena-1"), row("b")]
    answers(200, found)
    expect(await rooms("--json")).toEqual({ code: 0, out: JSON.stringify(found), err: "" })
    answers(200, [])
    expect(await rooms("--json")).toEqual({ code: 0, out: "[]", err: "" })
  })

  it("[D-41] a narrow terminal shows fewer columns, and every id whole", async () => {
    const roomId = "a".repeat(60)
    answers(200, [row(roomId), row("b")])
    const shown = async (columns: number) => {
      const { out } = await runCommand(["rooms"], { ...place(), columns })
      return stripVTControlCharacters(out).split("\n")
    }
    expect((await shown(200))[0]).toMatch(/^ROOM .*RETENTION$/)
    expect((await shown(75))[0]).toMatch(/^ROOM +STATUS$/)
    expect(await shown(20)).toEqual(["ROOM", roomId, "b"])
  })

  it("[C-369] the titles of a table stand out at a terminal, and its rows are as elsewhere", async () => {
    answers(200, [row("a\u001b[31m")])
    const { out } = await runCommand(["rooms"], { ...place(), columns: 200 })
    const [titles = "", ...rows] = out.split("\n")
    const [plainTitles = "", ...plainRows] = (await rooms()).out.split("\n")
    expect(titles).toBe(`\u001b[1m${plainTitles}\u001b[22m`)
    expect(rows).toEqual(plainRows)
    expect(plainRows.join("")).not.toContain("\u001b")
    const env = { ...place().env, NO_COLOR: "1" }
    const uncoloured = await runCommand(["rooms"], { ...place(), env, columns: 200 })
    expect(uncoloured.out.split("\n")[0]).toBe(plainTitles)
    const json = await runCommand(["rooms", "--json"], { ...place(), columns: 200 })
    expect(json.out).not.toContain("\u001b")
  })

  it("[D-47] a field that this command does not know does no harm", async () => {
    answers(200, [{ ...row("b"), mood: "good" }])
    expect(await rooms()).toMatchObject({ code: 0, err: "" })
  })
})

describe("atrium rooms get", () => {
  it("[cli.rooms.get] shows each field of a room on a line of its own", async () => {
    answers(200, detail)
    const { code, out } = await rooms("get", "arena-1")
    expect(code).toBe(0)
    expect(asked()).toEqual([`GET ${routes}/arena-1`])
    expect(out.replace(/in \d+d(?:\d+h)?/, "in LONG")).toBe(
      [
        "room       arena-1",
        "type       arena (standard)",
        "status     hibernated",
        `seen       2h ago (${detail.lastSeen})`,
        "state      4096 bytes",
        "saves      3",
        "retention  30d (its own)",
        "deleted    in LONG (2099-01-01T00:00:00.000Z)"
      ].join("\n")
    )
    expect(await rooms("get", "arena-1", "--json")).toEqual({
      code: 0,
      out: JSON.stringify(detail),
      err: ""
    })
  })

  it("[D-05] an id is one part of the path", async () => {
    answers(200, detail)
    await rooms("get", "../../keys?x#y")
    expect(asked()).toEqual([`GET ${routes}/..%2F..%2Fkeys%3Fx%23y`])
  })

  it.each([".", "..", ""])("[D-05] %j is no id, for it would be another route", async (name) => {
    for (const argv of [["get"], ["delete"], ["set", "--retention", "1d"], ["saves"]]) {
      expect(await rooms(...argv, name)).toMatchObject({ code: 2, out: "" })
    }
    expect(await rooms("restore", "a", name)).toMatchObject({ code: 2, out: "" })
    const named = await rooms("delete", "a", "--project", name)
    expect(named).toMatchObject({ code: 2, err: expect.stringMatching(/^(--)?project: /) })
    expect(asked()).toEqual([])
  })
})

describe("atrium rooms set", () => {
  const sets: ReadonlyArray<readonly [string, ReadonlyArray<string>, unknown]> = [
    ["cli.rooms.set-retention", ["--retention", "30d"], { retention: "30d" }],
    ["T-09", ["--retention", "forever"], { retention: "forever" }],
    ["cli.rooms.set-retention", ["--retention", "clear"], { retention: null }],
    ["D-21", ["--public", "true"], { public: true }],
    ["D-21", ["--retention=3650d", "--public=false"], { retention: "3650d", public: false }]
  ]
  it.each(sets)("[%s] %j", async (_, argv, body) => {
    answers(200, detail)
    expect(await rooms("set", "arena-1", ...argv, "--json")).toEqual({
      code: 0,
      out: JSON.stringify(detail),
      err: ""
    })
    expect(asked()).toEqual([`PATCH ${routes}/arena-1 ${JSON.stringify(body)}`])
    expect((await rooms("set", "arena-1", ...argv)).out).toMatch(/^room +arena-1\n/)
  })

  const wrong: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
    [[], /^say what to set: --retention or --public$/],
    [["--retention", "3651d"], /--retention: "3651d"\. Expected: forever, clear or a duration/],
    [["--retention", "Forever"], /--retention/],
    [["--retention", "null"], /--retention/],
    [["--retention", "30d12h"], /--retention/],
    [["--public", "maybe"], /--public/]
  ]
  it.each(wrong)("[D-41] %j is wrong use", async (argv, message) => {
    const { code, out, err } = await rooms("set", "arena-1", ...argv)
    expect({ code, out }).toEqual({ code: 2, out: "" })
    expect(err).toMatch(message)
    expect(asked()).toEqual([])
  })
})

describe("atrium rooms delete", () => {
  const deleted = { roomId: "arena-1", objects: 12 }

  it("[cli.rooms.delete-force] deletes a room, and an awake one with --force", async () => {
    answers(200, deleted)
    expect(await rooms("delete", "arena-1")).toEqual({
      code: 0,
      out: "deleted arena-1: 12 stored objects",
      err: ""
    })
    expect(await rooms("delete", "arena-1", "--force", "--json")).toEqual({
      code: 0,
      out: JSON.stringify(deleted),
      err: ""
    })
    expect(asked()).toEqual([`DELETE ${routes}/arena-1`, `DELETE ${routes}/arena-1?force=true`])
  })

  it("[cli.rooms.delete-force] says what would delete an awake room", async () => {
    service.answer = () => refusal(409, "E_ROOM_IN_USE", "the room is awake")
    const hint = "--force sends the clients of an awake room away first"
    expect(await rooms("delete", "arena-1")).toEqual({
      code: 1,
      out: "",
      err: `E_ROOM_IN_USE: the room is awake\n${hint}`
    })
    expect((await rooms("delete", "arena-1", "--force")).err).toBe(
      "E_ROOM_IN_USE: the room is awake"
    )
  })
})

describe("saves", () => {
  it("[cli.rooms.saves] are listed as a table, or as JSON with --json", async () => {
    answers(200, [save])
    expect(await rooms("saves", "arena-1")).toEqual({
      code: 0,
      out: [
        "SAVE                 MADE    BYTES  VERSION  REASON",
        "sv_0123456789abcdef  2h ago  4096   2        hibernate"
      ].join("\n"),
      err: ""
    })
    expect(await rooms("saves", "arena-1", "--json")).toMatchObject({ out: JSON.stringify([save]) })
    answers(200, [])
    expect(await rooms("saves", "arena-1")).toEqual({ code: 0, out: "", err: "no saves" })
    expect(asked()[0]).toBe(`GET ${routes}/arena-1/saves`)
  })

  it("[cli.rooms.saves] of a room that is called get", async () => {
    answers(200, [])
    await rooms("saves", "--", "get")
    expect(asked()).toEqual([`GET ${routes}/get/saves`])
  })

  const bytes = Uint8Array.from({ length: 256 }, (_, at) => at)

  it("[D-11] the bytes of one go to standard output, and nothing else", async () => {
    answers(200, bytes)
    const { code, out, err } = await rooms("saves", "get", "arena-1", save.saveId)
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(Buffer.from(out, "latin1")).toEqual(Buffer.from(bytes))
    expect(asked()).toEqual([`GET ${routes}/arena-1/saves/${save.saveId}/bytes`])
  })

  it("[D-11] or to a file; a terminal gets no bytes", async () => {
    answers(200, bytes)
    const terminal = { ...place(), columns: 80 }
    const argv = ["rooms", "saves", "get", "arena-1", save.saveId]
    expect(await runCommand(argv, terminal)).toEqual({
      code: 2,
      out: "",
      err: "a save is bytes, no text: say a file, with -o"
    })
    expect(asked()).toEqual([])
    expect(await runCommand([...argv, "-o", "arena.save"], terminal)).toEqual({
      code: 0,
      out: "",
      err: "256 bytes in arena.save"
    })
    expect(await readFile(join(game.path, "arena.save"))).toEqual(Buffer.from(bytes))
    expect(await runCommand([...argv, "-o", "no/folder"], terminal)).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringMatching(/^no\/folder: /)
    })
  })

  it("[cli.rooms.restore] one of them is queued", async () => {
    const queued = {
      roomId: "arena-1",
      saveId: save.saveId,
      status: "queued",
      queuedAt: "2026-01-01T00:00:00.000Z"
    }
    answers(202, queued)
    expect(await rooms("restore", "arena-1", save.saveId)).toEqual({
      code: 0,
      out: `queued: arena-1 goes back to ${save.saveId}, and its state of now is discarded`,
      err: ""
    })
    expect(await rooms("restore", "arena-1", save.saveId, "--json")).toMatchObject({
      out: JSON.stringify(queued)
    })
    expect(asked()[0]).toBe(`POST ${routes}/arena-1/restore {"saveId":"${save.saveId}"}`)
  })
})

describe("a refusal", () => {
  const said: ReadonlyArray<readonly [number, string, string]> = [
    [401, "E_UNAUTHENTICATED: no", "\nSERVICE_API_KEY holds a key that was revoked, or"],
    [403, "E_SCOPE: the key lacks the scope rooms:write", ""],
    [404, "E_NOT_FOUND: no", `\nthe key of SERVICE_API_KEY is for no project ${id}, which is from`],
    [404, "E_ROOM_NOT_FOUND: arena-1: no such room", ""],
    [503, "E_NOT_READY: the store does not answer", ""],
    [500, "E_INTERNAL: the service failed", ""]
  ]
  it.each(said)("[D-41] %i %s is told in the service's words", async (status, text, more) => {
    const [code = "", ...words] = text.split(": ")
    service.answer = () => refusal(status, code, words.join(": "))
    const ended = await rooms("get", "arena-1", "--json")
    expect(ended).toMatchObject({ code: 1, out: "" })
    expect(ended.err.startsWith(text + more)).toBe(true)
    expect(ended.err).not.toContain(apiKey)
  })

  it("[D-41] its words cannot write on the terminal beyond their place", async () => {
    service.answer = () => refusal(404, "E_ROOM_NOT_FOUND", "\u001b[2Jgone\u202e")
    expect((await rooms("get", "a")).err).toBe("E_ROOM_NOT_FOUND: \u{fffd}[2Jgone\u{fffd}")
  })
})
