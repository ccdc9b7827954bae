import { until } from "@atrium/domain/testing/Until"
import { afterEach, describe, expect, it } from "vitest"

import { gameOfEachTest, serviceOfEachTest } from "../testing/EachTest.ts"
import { refusal } from "../testing/RecordingService.ts"
import { loginToken, type RunningCommand, runCommand, startCommand } from "../testing/RunCommand.ts"

const id = "p_0123456789abcdef"
const line = (text: string, level = "info") => ({
  at: "2026-11-23T05:00:00.123Z",
  roomId: "arena-2",
  level,
  line: text
})
const event = (lineId: number, text: string): string =>
  `id: ${lineId}\nevent: line\ndata: ${JSON.stringify(line(text))}\n\n`

const service = serviceOfEachTest()
const game = gameOfEachTest({ "service.json": `{"project":"${id}"}` })
const place = () => ({ cwd: game.path, env: { ATRIUM_TOKEN: loginToken, ATRIUM_URL: service.url } })
const logs = (...argv: ReadonlyArray<string>) => runCommand(["logs", ...argv], place())
const asked = (): ReadonlyArray<string> => service.requests.map(({ path }) => path)

let running: RunningCommand | null = null
afterEach(async () => {
  running?.process.kill("SIGKILL")
  await running?.ended
  running = null
})

describe("atrium logs", () => {
  it("[C-333] shows moment, level, room and text, so that nothing acts on a terminal, or JSON", async () => {
    const lines = [line("one"), line("\u001b[2J\nat room.ts:7:9\u202e", "error")]
    service.answer = () => ({ status: 200, body: lines })
    expect(await logs()).toEqual({
      code: 0,
      err: "",
      out: [
        "2026-11-23T05:00:00.123Z INFO  arena-2  one",
        "2026-11-23T05:00:00.123Z ERROR arena-2  \ufffd[2J",
        "    at room.ts:7:9\ufffd"
      ].join("\n")
    })
    const { out } = await logs("--json")
    expect(JSON.parse(out)).toEqual(lines)
    expect(out).not.toMatch(/[\p{Cc}\u202e]/u)
    expect(asked()).toEqual(Array(2).fill(`/v1/projects/${id}/logs?limit=100`))
  })

  it("[C-333] asks for a room, a span, a level and a number, of the project that is named", async () => {
    service.answer = () => ({ status: 200, body: [] })
    // The command reads the machine's clock: the span begins between here and its request.
    const before = Date.now()
    expect(
      await logs(
        "hall",
        "--since",
        "1h",
        "--level",
        "error",
        "--limit",
        "5",
        "--contains",
        "50% of",
        "--project",
        "p_other"
      )
    ).toMatchObject({ code: 0, out: "", err: "no line was logged" })
    const [path = ""] = asked()
    const { pathname, searchParams } = new URL(path, "http://localhost")
    expect(pathname).toBe("/v1/projects/p_other/logs")
    const { since = "", ...query } = Object.fromEntries(searchParams)
    expect(query).toEqual({ room: "hall", level: "error", limit: "5", contains: "50% of" })
    expect(Math.abs(Date.parse(since) + 3_600_000 - before)).toBeLessThan(60_000)
    for (const wrong of [
      ["--since", "yesterday"],
      ["--level", "loud"],
      ["--contains", "a", "--follow"]
    ]) {
      expect((await logs(...wrong)).code).toBe(2)
    }
    expect(asked()).toHaveLength(1)
  })

  it("[C-333] --follow goes on from the last line when the connection ends, and Ctrl-C ends it", async () => {
    const answers = [
      event(5, "one") + event(6, "two") + event(4, "late"),
      // A service of several runners begins a little before the line that it is asked from.
      `${event(6, "two")}event: missed\ndata: {"lines":3}\n\n${event(9, "three")}`
    ]
    service.answer = ({ path }) =>
      path.includes("/tail")
        ? {
            status: 200,
            headers: { "content-type": "text/event-stream" },
            body: answers.shift() ?? ""
          }
        : null
    running = startCommand(["logs", "arena-2", "-f", "--json"], place())
    const { out, err, process } = running
    await until("four lines", () => out().split("\n").length === 5)
    expect(
      out()
        .trim()
        .split("\n")
        .map((text) => JSON.parse(text).line)
    ).toEqual(["one", "two", "late", "three"])
    expect(err()).toContain("3 lines were left out")
    expect(asked().slice(0, 2)).toEqual(Array(2).fill(`/v1/projects/${id}/logs/tail?room=arena-2`))
    expect(service.requests.slice(0, 2).map(({ lastEventId }) => lastEventId)).toEqual([
      undefined,
      "6"
    ])
    process.kill("SIGINT")
    expect((await running.ended).code).toBe(0)
  })

  it("[C-333] --follow ends when the service refuses, at once or later", async () => {
    const answers = [
      { status: 200, headers: { "content-type": "text/event-stream" }, body: event(5, "one") },
      refusal(429, "E_RATE_LIMITED", "too many requests; ask again later"),
      refusal(401, "E_UNAUTHENTICATED", "the credential is missing or not valid")
    ]
    service.answer = () => answers.shift() ?? null
    const { code, out, err } = await logs("-f")
    expect([code, out, err.split("\n")[0]]).toEqual([
      1,
      "2026-11-23T05:00:00.123Z INFO  arena-2  one",
      "E_UNAUTHENTICATED: the credential is missing or not valid"
    ])
    service.answer = () => refusal(404, "E_NOT_FOUND", "not found")
    expect(await logs("-f")).toMatchObject({ code: 1, out: "" })
  })
})
