import { describe, expect, it } from "vitest"

import { ago } from "../testing/Ago.ts"
import { gameOfEachTest, serviceOfEachTest } from "../testing/EachTest.ts"
import { refusal } from "../testing/RecordingService.ts"
import { loginToken, runCommand } from "../testing/RunCommand.ts"

const id = "p_0123456789abcdef"
const replayId = `rp_${"a".repeat(32)}`
const row = {
  replayId,
  roomId: "arena",
  type: "arena",
  version: 3,
  kind: "clip",
  startedAt: ago(70),
  seconds: 59.6,
  bytes: 1536,
  expiresAt: ago(-3600 * 24 * 30),
  chunks: 12,
  createdAt: ago(7500),
  running: false
}

const service = serviceOfEachTest()
const game = gameOfEachTest({ "service.json": `{"project":"${id}"}` })

const replays = (...argv: ReadonlyArray<string>) =>
  runCommand(["replays", ...argv], {
    cwd: game.path,
    env: { ATRIUM_TOKEN: loginToken, ATRIUM_URL: service.url }
  })
const asked = (): ReadonlyArray<string> =>
  service.requests.map(({ method, path }) => `${method} ${path}`)

describe("atrium replays", () => {
  it("[C-829] lists the clips and recordings of a project", async () => {
    service.answer = () => ({
      status: 200,
      body: [row, { ...row, kind: "recording", running: true, roomId: "long\u001b[2J" }]
    })
    const { code, out } = await replays()
    expect({ code, lines: out.split("\n") }).toEqual({
      code: 0,
      lines: [
        "REPLAY                               ROOM      KIND             LENGTH  SIZE     MADE    EXPIRES",
        `${replayId}  arena     clip             60s     1.5 KiB  2h ago  in 30d`,
        `${replayId}  long\ufffd[2J  recording, runs  60s     1.5 KiB  2h ago  in 30d`
      ]
    })
    expect(JSON.parse((await replays("--json")).out)).toMatchObject([{ replayId }, {}])
    service.answer = () => ({ status: 200, body: [] })
    expect(await replays()).toMatchObject({
      code: 0,
      out: "",
      err: expect.stringMatching(/^no replays/)
    })
  })

  it("[C-829] deletes one when that is confirmed", async () => {
    service.answer = () => ({ status: 200, body: row })
    expect(await replays("delete", replayId)).toMatchObject({ code: 2, out: "" })
    expect(asked()).toEqual([])
    expect(await replays("delete", replayId, "--yes")).toMatchObject({
      code: 0,
      out: `deleted ${replayId} of arena`
    })
    expect(asked()).toEqual([`DELETE /v1/projects/${id}/replays/${replayId}`])
    service.answer = () => refusal(404, "E_NOT_FOUND", "not found")
    expect(await replays("delete", replayId, "--yes")).toMatchObject({ code: 1 })
  })
})
