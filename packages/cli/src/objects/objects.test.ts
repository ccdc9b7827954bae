import { describe, expect, it } from "vitest"

import { gameOfEachTest, serviceOfEachTest } from "../testing/EachTest.ts"
import { refusal } from "../testing/RecordingService.ts"
import { loginToken, runCommand } from "../testing/RunCommand.ts"

const state = {
  place: "s3",
  s3Url: "https://s3.example.com/rooms",
  postgres: { objects: 4, bytes: 1000 },
  s3: { objects: 9, bytes: 3 * 1_048_576 },
  garbage: 2,
  move: {
    status: "running",
    moved: { objects: 7, bytes: 1_048_576 },
    failed: 1,
    orderedAt: "2026-11-23T10:00:00.000Z",
    endedAt: null
  }
}

const service = serviceOfEachTest()
const game = gameOfEachTest({})

const objects = (...argv: ReadonlyArray<string>) =>
  runCommand(["objects", ...argv], {
    cwd: game.path,
    env: { ATRIUM_TOKEN: loginToken, ATRIUM_URL: service.url }
  })

describe("atrium objects", () => {
  it("[C-469] shows where the bytes are and how far a move is, or the JSON of it", async () => {
    service.answer = () => ({ status: 200, body: state })
    const { code, out } = await objects()
    expect(code).toBe(0)
    expect(out.split("\n").map((line) => line.replace(/ +/g, " "))).toEqual([
      "new bytes S3",
      "S3 https://s3.example.com/rooms",
      "in PostgreSQL 4 objects, 1000 bytes",
      "in the S3 9 objects, 3.0 MiB",
      "to be swept 2",
      "move running: 7 objects, 1.0 MiB; 1 could not be moved"
    ])
    expect((await objects("--json")).out).toBe(JSON.stringify(state))
  })

  it.each([
    ["to-s3", "move", "--to", "s3"],
    ["to-postgres", "move", "--to", "postgres"],
    ["stop", "stop"]
  ])("[C-469] orders %s", async (order, ...argv) => {
    service.answer = () => ({ status: 200, body: { ...state, move: null } })
    expect((await objects(...argv)).out).toMatch(/\nmove +none$/)
    expect((await objects(...argv, "--json")).out).toContain('"move":null')
    expect(service.requests).toMatchObject(
      Array(2).fill({ method: "PATCH", path: "/v1/objects", body: JSON.stringify({ move: order }) })
    )
    service.answer = () => refusal(400, "E_BAD_REQUEST", "move: ATRIUM_OBJECTS_URL is not set")
    expect((await objects(...argv)).code).toBe(1)
  })
})
