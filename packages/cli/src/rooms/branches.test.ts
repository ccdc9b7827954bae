import { describe, expect, it } from "vitest"

import { gameOfEachTest, serviceOfEachTest } from "../testing/EachTest.ts"
import { refusal } from "../testing/RecordingService.ts"
import { loginToken, runCommand } from "../testing/RunCommand.ts"

const id = "p_0123456789abcdef"
const service = serviceOfEachTest()
const game = gameOfEachTest({ "service.json": `{"project":"${id}"}` })

const rooms = (...argv: ReadonlyArray<string>) =>
  runCommand(["rooms", ...argv], {
    cwd: game.path,
    env: { ATRIUM_TOKEN: loginToken, ATRIUM_URL: service.url }
  })
const detail = {
  roomId: "copy",
  status: "hibernated",
  type: "arena",
  class: "standard",
  retention: "7d",
  retentionOverride: "7d",
  deletesAt: null,
  saves: 0,
  stateBytes: 12,
  lastSeen: "2026-11-28T10:00:00.000Z"
}

describe("atrium rooms branch", () => {
  it("[D-58] branch makes a room from a save, and says when its id is taken", async () => {
    service.answer = () => ({ status: 201, body: detail })
    expect(await rooms("branch", "arena", "sv_1", "copy")).toMatchObject({
      code: 0,
      out: "made copy from sv_1 of arena: only test players enter it"
    })
    const [asked] = service.requests
    expect([asked?.method, asked?.path]).toEqual([
      "POST",
      `/v1/projects/${id}/rooms/arena/saves/sv_1/branch`
    ])
    service.answer = () => refusal(409, "E_ROOM_EXISTS", "a room has this id")
    expect(await rooms("branch", "arena", "sv_1", "copy")).toMatchObject({
      code: 1,
      err: expect.stringContaining("E_ROOM_EXISTS")
    })
  })
})
