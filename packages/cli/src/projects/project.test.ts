import { expect, it } from "vitest"

import { gameOfEachTest, serviceOfEachTest } from "../testing/EachTest.ts"
import { loginToken, runCommand } from "../testing/RunCommand.ts"

const id = "p_00000000000000aa"

const service = serviceOfEachTest()
const game = gameOfEachTest()

const run = async (...argv: ReadonlyArray<string>) => {
  await game.write({ "service.json": `{"project":"${id}"}` })
  const env = { ATRIUM_TOKEN: loginToken, ATRIUM_URL: service.url }
  return runCommand(argv, { cwd: game.path, env })
}
const asked = (): ReadonlyArray<readonly [string, string]> =>
  service.requests.map(({ method, path, body }) => [`${method} ${path}`, body])

it("[C-325] project get shows what is set, as lines or as JSON", async () => {
  const { code, out } = await run("project", "get")
  expect({ code, out }).toEqual({
    code: 0,
    out: [
      `project       ${id}`,
      "name          kept",
      "plan          free",
      "created       2026-01-01T00:00:00.000Z",
      "version       none",
      "connections   default per address and minute",
      "memory        automatic",
      "queues        one of two players",
      "boards        none",
      "origins       localhost alone",
      "audienceRole  none",
      "preRelease    false"
    ].join("\n")
  })
  const json = await run("project", "get", "--json")
  expect(JSON.parse(json.out)).toMatchObject({ id, name: "kept", vmMemMib: null })
})

it("[C-325] project set sends what is named, with the name that the project has", async () => {
  service.answer = ({ method }) =>
    method === "PATCH"
      ? { status: 400, body: { error: { code: "E_BAD_REQUEST", message: "no" } } }
      : null
  const refused = await run("project", "set", "--connections", "300", "--memory", "default")
  expect(refused).toEqual({ code: 1, out: "", err: "E_BAD_REQUEST: no" })
  expect(asked()).toEqual([
    [`GET /v1/projects/${id}`, ""],
    [`PATCH /v1/projects/${id}`, '{"name":"kept","connectionsPerIpPerMin":300,"vmMemMib":null}']
  ])
  expect(await run("project", "set")).toEqual({
    code: 2,
    out: "",
    err: "say what to set, with --connections or --memory"
  })
  expect(await run("project", "set", "--memory", "-1")).toMatchObject({ code: 2, out: "" })
  expect(asked()).toHaveLength(2)
})

const standing = { used: 1.5, allowance: 10, ceiling: null, state: "ok" }
const caps = {
  tier: "card",
  period: { start: "2026-01-01T00:00:00.000Z", end: "2026-02-01T00:00:00.000Z" },
  meters: {
    roomHours: { ...standing, used: 99.9999, ceiling: 100, state: "warned" },
    voiceMinutes: standing,
    storageBytes: standing,
    dataOutBytes: standing
  }
}

it("[C-325] caps shows each meter, and sets the ceilings that are named", async () => {
  service.answer = () => ({ status: 200, body: caps })
  const { code, out } = await run("caps")
  expect(code).toBe(0)
  expect(out.split("\n").slice(0, 3)).toEqual([
    "METER         USED    ALLOWANCE  CEILING  STATE",
    "roomHours     99.999  10         100      warned",
    "voiceMinutes  1.5     10         none     ok"
  ])
  expect(JSON.parse((await run("caps", "--json")).out)).toEqual(caps)
  await run("caps", "--set", "roomHours=100", "--set", "storageBytes=none")
  expect(asked().at(-1)).toEqual([
    `PATCH /v1/projects/${id}/caps`,
    '{"caps":{"roomHours":100,"storageBytes":null}}'
  ])
  const before = asked().length
  for (const bad of ["rooms=1", "roomHours", "roomHours=-1", "roomHours=x"]) {
    expect(await run("caps", "--set", bad)).toMatchObject({ code: 2, out: "" })
  }
  expect(asked()).toHaveLength(before)
})

it("[C-325] caps set takes a meter and its ceiling", async () => {
  service.answer = () => ({ status: 200, body: caps })
  expect((await run("caps", "set", "roomHours", "100")).code).toBe(0)
  expect(asked().at(-1)).toEqual([`PATCH /v1/projects/${id}/caps`, '{"caps":{"roomHours":100}}'])
  expect(JSON.parse((await run("caps", "set", "dataOutBytes", "none", "--json")).out)).toEqual(caps)
  expect(asked().at(-1)?.[1]).toBe('{"caps":{"dataOutBytes":null}}')
  const before = asked().length
  for (const bad of [["roomHours"], ["roomHours", "-1"], ["roomHours", "x"], ["rooms", "1"]]) {
    expect(await run("caps", "set", ...bad)).toMatchObject({ code: 2, out: "" })
  }
  expect(asked()).toHaveLength(before)
})

it("[C-508] usage shows each day", async () => {
  const day = { roomHours: 1.5, voiceMinutes: 0, storageBytes: 1024, dataOutBytes: 7 }
  const usage = {
    from: "2025-02-01T00:00:00.000Z",
    to: "2026-02-01T00:00:00.000Z",
    days: [{ day: "2026-01-31", ...day }]
  }
  service.answer = () => ({ status: 200, body: usage })
  const { code, out } = await run("usage")
  expect(code).toBe(0)
  expect(out.split("\n").slice(0, 2)).toEqual([
    "DAY         ROOM HOURS  VOICE MINUTES  STORAGE     DATA OUT",
    "2026-01-31  1.50        0.00           1024 bytes  7 bytes"
  ])
  expect(JSON.parse((await run("usage", "--json")).out)).toEqual(usage)
})

it("[C-325] metrics shows what the rooms are doing", async () => {
  const metrics = {
    sockets: 3,
    roomsByState: {
      starting: 0,
      awake: 2,
      draining: 0,
      hibernated: 1,
      restarting: 0,
      closed: 0
    },
    ingressBytes: 10,
    egressBytes: 20,
    rss: 4096
  }
  service.answer = () => ({ status: 200, body: metrics })
  expect(JSON.parse((await run("metrics", "--json")).out)).toEqual(metrics)
  expect((await run("metrics")).out).toContain("egress ")
  expect(asked()[0]).toEqual([`GET /v1/projects/${id}/metrics`, ""])
})
