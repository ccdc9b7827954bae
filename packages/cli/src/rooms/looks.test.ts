import { describe, expect, it } from "vitest"

import { ago } from "../testing/Ago.ts"
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
const asked = (): ReadonlyArray<string> =>
  service.requests.map(({ method, path }) => `${method} ${path}`)
const answer = (body: unknown) => {
  service.answer = () => ({ status: 200, body })
}

const client = {
  clientId: "c1",
  playerId: "pl_1",
  name: "Ann\u001b[2J",
  role: "player",
  status: "joined",
  since: ago(130),
  ingressBytes: 1536,
  egressBytes: 20,
  lagMs: 12,
  backlogBytes: null
}

describe("atrium rooms life, clients and kick", () => {
  it("[C-772] life tells what happened, the words of the room's code without what acts on a terminal", async () => {
    answer([
      { id: "2", at: ago(70), kind: "crashed", reason: "crashed", detail: "Error: \u001b[2J" },
      { id: "1", at: ago(7500), kind: "migrated", from: 3, version: 4 }
    ])
    const { code, out } = await rooms("life", "arena")
    expect({ code, lines: out.split("\n") }).toEqual({
      code: 0,
      lines: [
        "WHEN    WHAT      WHY      VERSION  SAVE  SERVER  DETAIL",
        "1m ago  crashed   crashed                         Error: \ufffd[2J",
        "2h ago  migrated           3 → 4"
      ]
    })
    expect(asked()).toEqual([`GET /v1/projects/${id}/rooms/arena/life`])
    expect(JSON.parse((await rooms("life", "arena", "--json")).out)).toHaveLength(2)
    answer([])
    expect(await rooms("life", "arena")).toMatchObject({ code: 0, out: "" })
  })

  it("[C-771] clients lists who is there", async () => {
    answer([client, { ...client, clientId: "c2", name: null, lagMs: null }])
    const { code, out } = await rooms("clients", "arena")
    expect({ code, lines: out.split("\n") }).toEqual({
      code: 0,
      lines: [
        "CLIENT  PLAYER   ROLE    SINCE   IN       OUT       LAG",
        "c1      Ann\ufffd[2J  player  2m ago  1.5 KiB  20 bytes  12 ms",
        "c2      pl_1     player  2m ago  1.5 KiB  20 bytes"
      ]
    })
    answer([])
    expect(await rooms("clients", "arena")).toMatchObject({
      code: 0,
      out: "",
      err: expect.stringContaining("nobody")
    })
  })

  it("[D-60] kick asks first, and says when the client is not there", async () => {
    answer({ clientId: "c1" })
    expect(await rooms("kick", "arena", "c1")).toMatchObject({ code: 2, out: "" })
    expect(asked()).toEqual([])
    expect(await rooms("kick", "arena", "c1", "--yes")).toMatchObject({
      code: 0,
      out: "kicked c1: its client stays away"
    })
    expect(asked()).toEqual([`POST /v1/projects/${id}/rooms/arena/clients/c1/kick`])
    service.answer = () => refusal(404, "E_CLIENT_NOT_FOUND", "no such client")
    expect(await rooms("kick", "arena", "c1", "--yes")).toMatchObject({ code: 1 })
  })

  it("[C-811] step-clock moves the clock of a room by a span", async () => {
    answer({ roomId: "arena", at: "2026-12-01T00:00:00.000Z" })
    expect((await rooms("step-clock", "arena", "36h")).out).toBe(
      "in arena it is 2026-12-01T00:00:00.000Z"
    )
    expect(asked()).toEqual([`POST /v1/projects/${id}/rooms/arena/clock`])
    expect(JSON.parse(service.requests[0]?.body ?? "")).toEqual({ stepMs: 129_600_000 })
    expect(await rooms("step-clock", "arena", "soon")).toMatchObject({ code: 2, out: "" })
    expect(asked()).toHaveLength(1)
  })

  it("[D-60] test-player prints a credential for one room", async () => {
    const roomId = "playground-0123abcd"
    const body = { playerId: "pl_test_1", roomId, token: "eyJ.a.b", expiresAt: ago(-900) }
    service.answer = () => ({ status: 201, body })
    expect(await rooms("test-player", roomId)).toMatchObject({ code: 0, out: "eyJ.a.b" })
    expect(asked()).toEqual([`POST /v1/projects/${id}/test-players`])
    expect(JSON.parse(service.requests[0]?.body ?? "")).toEqual({ roomId })
  })
})
