import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"

import { expect, it, onTestFinished } from "vitest"

import { gameOfEachTest, serviceOfEachTest } from "../testing/EachTest.ts"
import { type RecordedRequest, refusal } from "../testing/RecordingService.ts"
import { loginToken, runCommand, startCommand } from "../testing/RunCommand.ts"

const id = "p_0123456789abcdef"
const clipId = `rp_${"a".repeat(32)}`
const chunk = Buffer.from([1, 2, 3, 255])
const at = "2026-11-28T10:00:00.000Z"
const replay = {
  project: id,
  roomId: "arena:2",
  type: "arena",
  version: 3,
  kind: "clip",
  startedAt: at,
  seconds: 4.5,
  bytes: 4,
  expiresAt: at,
  running: false,
  descriptor: { format: 2, type: "arena" },
  chunks: [0, 1].map((index) => ({
    index,
    fromTick: 1,
    toTick: 9,
    bytes: 4,
    fromMs: 0,
    toMs: 4500
  }))
}
const line = { at, roomId: "arena:2", level: "error", line: "lost \u001b[2J" }
const roomType = { class: "standard", maxClients: 8, type: "arena", schemaHash: "0123456789abcdef" }
const deployment = {
  version: 3,
  bytes: 1,
  createdAt: at,
  roomTypes: [roomType],
  relay: false,
  rollbackOf: null,
  schemas: [],
  players: { hash: "0", fields: [] }
}

const service = serviceOfEachTest()
const game = gameOfEachTest({ "service.json": `{"project":"${id}"}` })
const place = () => ({
  cwd: game.path,
  env: { ATRIUM_TOKEN: loginToken, ATRIUM_URL: service.url }
})
const replays = (...argv: ReadonlyArray<string>) => runCommand(["replays", ...argv], place())

/** The service of a room whose clip has two chunks. */
const answered = ({ path }: RecordedRequest) => {
  if (path.endsWith("/clips")) {
    const url = `/v1/replays/${clipId}`
    return { status: 201, body: { clipId, url, expiresAt: at, service: "0.2.7" } }
  }
  if (path === `/v1/replays/${clipId}`) return { status: 200, body: replay }
  if (path.startsWith("/v1/replays/")) {
    return { status: 200, body: chunk, headers: { "content-type": "application/octet-stream" } }
  }
  if (path.includes("/logs")) return { status: 200, body: [line] }
  return path.includes("/deployments/") ? { status: 200, body: deployment } : null
}

it("[C-839] writes the clip, the log since its begin and the versions to a file of its own", async () => {
  service.answer = answered
  expect(await replays("report", "arena:2", "--seconds", "5", "-o", "lost.json")).toEqual({
    code: 0,
    err: "",
    out: expect.stringMatching(
      /^lost\.json: 4\.5 s, 1 log line, .*\n.*atrium dev --replay lost\.json$/
    )
  })
  expect(service.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    `POST /v1/projects/${id}/rooms/arena%3A2/clips`,
    `GET /v1/replays/${clipId}`,
    `GET /v1/replays/${clipId}/chunks/0`,
    `GET /v1/replays/${clipId}/chunks/1`,
    `GET /v1/projects/${id}/logs?room=arena%3A2&since=2026-11-28T10%3A00%3A00.000Z&limit=1000`,
    `GET /v1/projects/${id}/deployments/3`
  ])
  // The clip goes soon, and nothing of the log goes to the service.
  expect(service.requests.map(({ body }) => body).filter((body) => body !== "")).toEqual([
    '{"seconds":5,"ttl":"1h"}'
  ])
  const file = join(game.path, "lost.json")
  const report = JSON.parse(readFileSync(file, "utf8"))
  expect(report).toEqual({
    format: "atrium-replay-report-1",
    madeAt: expect.stringMatching(/Z$/),
    versions: {
      atrium: expect.stringMatching(/^\d+\.\d+\.\d+/),
      service: "0.2.7",
      node: process.version,
      platform: `${process.platform} ${process.arch}`,
      deployment: 3,
      deployedAt: at,
      schemaHash: "0123456789abcdef"
    },
    replay,
    chunks: [chunk.toString("base64"), chunk.toString("base64")],
    logs: [line]
  })
  expect(JSON.stringify(report)).not.toContain(clipId)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  // No file is overwritten, and no clip is made for nothing.
  service.requests.length = 0
  expect(await replays("report", "arena:2", "-o", "lost.json")).toMatchObject({
    code: 2,
    err: expect.stringContaining("lost.json: is there already")
  })
  expect(service.requests.filter(({ method }) => method === "POST")).toEqual([])
  const named = await replays("report", "arena:2", "--json")
  expect(JSON.parse(named.out)).toEqual({
    path: expect.stringMatching(/^report-arena_2-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.json$/),
    seconds: 4.5,
    lines: 1,
    bytes: expect.any(Number)
  })
})

it("[C-839] has no version of a service that does not tell it", async () => {
  service.answer = (request) => {
    const answer = answered(request)
    if (!request.path.endsWith("/clips") || answer === null) return answer
    const { service: _, ...older } = Object(answer.body)
    return { ...answer, body: older }
  }
  expect(await replays("report", "arena:2", "-o", "old.json")).toMatchObject({ code: 0 })
  const { versions } = JSON.parse(readFileSync(join(game.path, "old.json"), "utf8"))
  expect(Object.keys(versions)).not.toContain("service")
})

it("[C-839] waits for an allowance, and says why there is no clip", async () => {
  const first = new Set(["/clips", "/chunks/1", "/chunks/0"])
  service.answer = (request) => {
    for (const end of first) {
      if (!request.path.endsWith(end)) continue
      first.delete(end)
      if (end === "/chunks/0") return refusal(503, "E_NOT_READY", "others first")
      return refusal(429, end === "/clips" ? "E_CLIP_COOLDOWN" : "E_RATE_LIMITED", "too many")
    }
    return answered(request)
  }
  expect(await replays("report", "arena:2", "-o", "a.json")).toMatchObject({ code: 0 })
  service.answer = () => refusal(409, "E_REPLAY_OFF", "the room is not awake")
  expect(await replays("report", "arena:2")).toMatchObject({
    code: 1,
    err: expect.stringContaining("E_REPLAY_OFF")
  })
})

const page = {
  status: 200,
  body: "<html>",
  headers: {
    "content-type": "text/html",
    "referrer-policy": "no-referrer",
    "set-cookie": "a=b",
    "content-security-policy":
      "default-src 'none'; script-src http://s/console/files/; style-src http://s/console/files/; connect-src 'self'"
  }
}

it("[C-840] shows a report at this machine alone: the replay from the file, the page from the service", async () => {
  service.answer = answered
  await replays("report", "arena:2", "-o", "lost.json")
  service.requests.length = 0
  service.answer = ({ path }) => (/^\/(?:replay|console)/.test(path) ? page : null)
  const running = startCommand(["dev", "--replay", "lost.json"], place())
  onTestFinished(() => void running.process.kill("SIGKILL"))
  const shown = /^replay {3}(http:\/\/localhost:\d+)(\/replay\/(rp_[\w-]{32}))\nroom/m
  await expect.poll(running.out).toMatch(shown)
  const [, origin = "", path = "", localId = ""] = shown.exec(running.out()) ?? []
  expect(running.out()).toContain("room     arena:2 of type arena, version 3, 4.5 s")
  const at127 = origin.replace("localhost", "127.0.0.1")
  const get = async (to: string, headers = {}) => fetch(`${at127}${to}`, { headers })
  expect(await (await get(`/v1/replays/${localId}`)).json()).toEqual(replay)
  const bytes = await (await get(`/v1/replays/${localId}/chunks/1`)).arrayBuffer()
  expect(Buffer.from(bytes)).toEqual(chunk)
  const html = await get(path, { cookie: "atrium=secret", authorization: "Bearer x" })
  expect(await html.text()).toBe("<html>")
  expect(html.headers.get("content-security-policy")).toBe(
    page.headers["content-security-policy"].replaceAll("http://s", at127)
  )
  expect(html.headers.get("referrer-policy")).toBe("no-referrer")
  expect(html.headers.get("set-cookie")).toBe(null)
  expect((await get("/console/files/main-ABC.js")).status).toBe(200)
  // Nothing else is there, and nothing of the browser's goes on to the service.
  const others = ["/", "/v1/projects", `${path}x`, "/console", "/console/files/..%2f", "/login"]
  for (const other of others) expect([other, (await get(other)).status]).toEqual([other, 404])
  expect((await get(`/v1/replays/${localId}/chunks/2`)).status).toBe(404)
  expect(service.requests.map((request) => request.path)).toEqual([
    path,
    "/console/files/main-ABC.js"
  ])
  expect(service.requests.map(({ authorization }) => authorization)).toEqual([undefined, undefined])
  running.process.kill("SIGINT")
  expect((await running.ended).code).toBe(0)
})

it("[C-840] refuses a file that is no report, and names what is wrong", async () => {
  const good = {
    format: "atrium-replay-report-1",
    madeAt: at,
    versions: {},
    replay,
    chunks: [],
    logs: []
  }
  const files: ReadonlyArray<readonly [text: string, says: RegExp]> = [
    ["no json", /^.*bad\.json: no report of atrium replays/],
    ["{}", /no report of atrium replays: format/],
    [JSON.stringify({ ...good, format: "atrium-replay-report-2" }), /format/],
    [JSON.stringify({ ...good, replay: { ...replay, version: "3" } }), /no report/],
    ["x".repeat(2 ** 26 + 1), /67108865 bytes, and a report has at most 67108864/]
  ]
  for (const [text, says] of files) {
    await game.write({ "bad.json": text })
    const { code, err } = await runCommand(["dev", "--replay", "bad.json"], place())
    expect([code, err]).toEqual([2, expect.stringMatching(says)])
  }
  expect(await runCommand(["dev", "--replay", "none.json"], place())).toMatchObject({ code: 2 })
})
