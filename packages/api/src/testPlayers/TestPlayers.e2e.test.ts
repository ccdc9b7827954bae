import { until } from "@atrium/domain/testing/Until"
import { Client } from "@atrium/sdk/client"
import { beforeAll, expect, it } from "vitest"

import { as, ask, errorOf, mintKey } from "../testing/KeysUnderTest.ts"
import { probe } from "../testing/rooms/probeSchema.ts"
import { scorer } from "../testing/rooms/scorerSchema.ts"
import { codeOf, messageOf, roomsOf } from "../testing/RoomsUnderTest.ts"
import { call, deploy } from "../testing/RunningService.ts"
import { sharedService } from "../testing/ServiceUnderTest.ts"

const service = sharedService()
let rooms: ReturnType<typeof roomsOf>
const path = () => `/v1/projects/${service.project}/test-players`

const mint = (roomId: string) =>
  call(service.url, path(), { token: service.token, body: { roomId } })
const tester = async (roomId: string): Promise<Client> => {
  const { status, body } = await mint(roomId)
  if (status !== 201) throw new Error(`no test player: ${JSON.stringify(body)}`)
  return new Client(service.url, { project: service.project, token: String(body["token"]) })
}

beforeAll(async () => {
  rooms = roomsOf(service)
  const files = ["rooms/probe.ts", "rooms/single.ts", "rooms/scorer.ts"]
  const { status, body } = await deploy(service, files)
  if (status !== 201) throw new Error(JSON.stringify(body))
})

it("[D-60] [C-805] a test player tries a room of the playground, which changes nothing outside of it", async () => {
  const roomId = "playground-0123abcd"
  const client = await tester(roomId)
  const room = await client.joinOrCreate(probe, { roomId })
  expect(room.playerId).toMatch(/^pl_test_[0-9a-f]{16}$/)
  await room.request("score", { by: 5 })
  await room.request("list", {})
  await expect((await rooms.player()).joinOrCreate(probe, { roomId })).rejects.toMatchObject({
    code: "E_BRANCH"
  })
  const listed = await rooms.join("lobby-room")
  await listed.request("list", {})
  const lobby = await until("an ordinary room is listed", async () => {
    const { body } = await call(service.url, `/v1/lobby?project=${service.project}`)
    const text = JSON.stringify(body)
    return text.includes("lobby-room") && text
  })
  expect(lobby).not.toContain(roomId)
  await listed.leave()
  const set = await rooms.ask(`/${roomId}`, { method: "PATCH", body: { public: true } })
  expect([set.status, codeOf(set)]).toEqual([409, "E_BRANCH"])
  expect((await rooms.ask(`/${roomId}`)).body).toMatchObject({ retentionOverride: "1h" })
  await room.leave()
  const again = await client.joinOrCreate(probe, { roomId })
  // The fields of the player are not kept.
  expect(await again.request("score", { by: 5 })).toEqual({ total: 5 })
  await again.leave()
})

it("[D-60] [C-805] the call of such a room to a board is refused", async () => {
  const roomId = "playground-0000000b"
  const room = await (await tester(roomId)).joinOrCreate(scorer, { roomId })
  const score = { board: "kills", player: "ann", score: 1 }
  await expect(room.request("submit", score)).rejects.toMatchObject({ code: "E_BRANCH" })
  await room.leave()
})

it("[D-60] a test player cannot enter other rooms", async () => {
  const minted = await mint("playground-0000000a")
  const lifeMs = Date.parse(String(minted.body["expiresAt"])) - Date.now()
  expect(Math.abs(lifeMs - 15 * 60_000)).toBeLessThan(60_000)
  const refused = await mint("origin")
  expect([refused.status, codeOf(refused)]).toEqual([409, "E_BRANCH"])
  expect(messageOf(refused)).toBe(
    "a test player enters rooms of dev, branches and rooms of the playground"
  )
  const missing = await rooms.ask("/playground-0000000c", {
    method: "PATCH",
    body: { public: true }
  })
  expect([missing.status, codeOf(missing)]).toEqual([404, "E_ROOM_NOT_FOUND"])
  const client = await tester("playground-00000000")
  await expect(client.joinOrCreate(probe, { roomId: "origin" })).rejects.toMatchObject({
    code: "E_PROJECT_MISMATCH"
  })
})

it("[D-60] [D-03] a login of the project's account mints test players, and nothing else does", async () => {
  const { secret } = await mintKey(service, ["rooms:read", "rooms:write"])
  const inRoom = { method: "POST", body: { roomId: "playground-00000000" } }
  expect((await ask(service, path(), as("", inRoom))).status).toBe(401)
  expect((await ask(service, path(), as(secret, inRoom))).status).toBe(401)
  const foreign = "/v1/projects/p_00000000000000ee/test-players"
  const answer = await ask(service, foreign, as(service.token, inRoom))
  expect([answer.status, errorOf(answer).code]).toEqual([404, "E_NOT_FOUND"])
})
