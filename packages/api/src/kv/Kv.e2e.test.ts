import { Client, type ClientRoom } from "@atrium/sdk/client"
import { beforeAll, describe, expect, it } from "vitest"

import { as, ask, errorOf, mintKey } from "../testing/KeysUnderTest.ts"
import { purse } from "../testing/rooms/purseSchema.ts"
import { call, deploy } from "../testing/RunningService.ts"
import { sharedService } from "../testing/ServiceUnderTest.ts"

const service = sharedService()

/** A project of these tests alone: its KV, its rates. */
const newProject = async (): Promise<string> => {
  const { url, token } = service
  const made = await call(url, "/v1/projects", { token, body: { name: "purses" } })
  const id = String(made.body["id"])
  expect((await deploy({ url, token, project: id }, ["rooms/purse.ts"])).status).toBe(201)
  return id
}
let project = ""
beforeAll(async () => {
  project = await newProject()
})

const join = async (roomId: string) => {
  const { body } = await call(service.url, "/v1/identity", { body: { project } })
  const client = new Client(service.url, { project, token: String(body["token"]) })
  return { room: await client.joinOrCreate(purse, { roomId }), player: String(body["playerId"]) }
}

const kv = (room: ClientRoom<typeof purse>, name: string, ...args: ReadonlyArray<unknown>) =>
  room.request("kv", { name, args })

const path = (player: string, more = "") =>
  `/v1/projects/${project}/players/${encodeURIComponent(player)}/kv${more}`
const owner = async (method: string, route: string, body?: unknown) => {
  const answer = await ask(service, route, as(service.token, { method, body }))
  const code = answer.status < 400 ? null : errorOf(answer).code
  return { status: answer.status, body: JSON.parse(answer.text), code }
}

describe("player KV", () => {
  it("[C-570] [C-571] what a room wrote other rooms and the owner read, and what they wrote the room", async () => {
    const [one, two] = [await join("one"), await join("two")]
    const value = { gold: 5, list: [null, 0.5, "é😀\u0000"] }
    const version = Number(await kv(one.room, "set", "purse", value))
    const { player } = one
    expect(await two.room.request("kv", { name: "get", args: ["purse"], player })).toEqual({
      value,
      version
    })
    expect(await kv(two.room, "get", "purse")).toBeNull()
    expect(await owner("GET", path(player, "/entry?key=purse"))).toMatchObject({
      status: 200,
      body: { key: "purse", value, version, writtenAt: expect.stringMatching(/^\d{4}-.*Z$/) }
    })
    const set = await owner("PUT", path(player, "/entry"), { key: "purse", value: [6] })
    expect(set.body).toEqual({ key: "purse", version: expect.any(Number) })
    expect(await kv(one.room, "compareAndSet", "purse", 7, version)).toBeNull()
    expect(await kv(one.room, "get", "purse")).toEqual({ value: [6], version: set.body.version })
    expect(await kv(one.room, "compareAndSet", "purse", 7, set.body.version)).toBeGreaterThan(
      set.body.version
    )
    await kv(one.room, "set", "purse/2", "x")
    expect(await kv(one.room, "list", { prefix: "purse/" })).toMatchObject({
      entries: [{ key: "purse/2", value: "x" }],
      next: null
    })
    expect((await owner("GET", path(player, "?limit=1"))).body).toMatchObject({
      entries: [{ key: "purse", value: 7 }],
      next: "purse"
    })
    expect((await owner("DELETE", path(player, "/entry?key=purse"))).body).toEqual({
      key: "purse",
      deleted: true
    })
    expect(await kv(one.room, "delete", "purse")).toBe(false)
    const gone = await owner("DELETE", path(player, "/entry?key=purse"))
    expect([gone.status, gone.code]).toEqual([404, "E_KV_KEY_NOT_FOUND"])
    const rows = (await owner("GET", `/v1/projects/${project}/audit`)).body
    expect(rows).toMatchObject([
      { action: "kv.delete", target: player, outcome: "done" },
      { action: "kv.set", target: player, outcome: "done" },
      { action: "deploy" }
    ])
    await Promise.all([one.room.leave(), two.room.leave()])
  })

  it("[kv.error-codes] room code and the owner are refused by the same codes, and nothing is written", async () => {
    const { room, player } = await join("limits")
    const most = "x".repeat(16_384 - 2)
    for (const [key, value, code] of [
      ["k".repeat(256), most, null],
      ["k".repeat(257), 1, "E_KV_KEY_TOO_LONG"],
      ["value", `${most}x`, "E_KV_VALUE_TOO_LARGE"],
      ["", 1, "E_CALL_INVALID"]
    ] as const) {
      const refused = await kv(room, "set", key, value).then(
        () => null,
        (error: unknown) => Object(error).code
      )
      const over = await owner("PUT", path(player, "/entry"), { key, value })
      expect([refused, over.code]).toEqual([
        code,
        code === "E_CALL_INVALID" ? "E_BAD_REQUEST" : code
      ])
    }
    const long = await owner("GET", path("p".repeat(257)))
    expect([long.status, long.code]).toEqual([400, "E_KV_PLAYER_ID_TOO_LONG"])
    expect((await owner("GET", path(player))).body.entries).toHaveLength(1)
    await room.leave()
  })

  it("[auth.key.cannot.player-data] [D-05] an API key is no credential, and a foreign project is as a missing one", async () => {
    const { secret } = await mintKey(service, ["rooms:read", "rooms:write"], project)
    for (const [method, more] of [
      ["GET", ""],
      ["GET", "/entry?key=k"],
      ["DELETE", "/entry?key=k"]
    ] as const) {
      const answer = await ask(service, path("ann", more), as(secret, { method }))
      expect([answer.status, errorOf(answer).code]).toEqual([401, "E_UNAUTHENTICATED"])
      const missing = path("ann", more).replace(project, "p_00000000000000ee")
      expect((await ask(service, missing, as(service.token, { method }))).status).toBe(404)
    }
  })
})
