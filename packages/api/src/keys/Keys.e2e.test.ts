import { expect, it } from "vitest"

import { as, ask, errorOf, keysOf, mintKey } from "../testing/KeysUnderTest.ts"
import { sharedService } from "../testing/ServiceUnderTest.ts"

const service = sharedService()

const keys = (path = ""): string => `/v1/projects/${service.project}/keys${path}`
const mint = (body: unknown) => ask(service, keys(), as(service.token, { method: "POST", body }))
const revoke = (keyId: string) =>
  ask(service, keys(`/${keyId}`), as(service.token, { method: "DELETE" }))
const listRooms = (secret: string, project = service.project) =>
  ask(service, `/v1/projects/${project}/rooms`, as(secret))

it.each([
  ["a character that no database holds", "a\u0000b"],
  ["half a character", "\ud800"]
])("[keys.mint.label] a label with %s is refused by name", async (_what, label) => {
  const answer = await mint({ scopes: ["rooms:read"], label })
  expect([answer.status, errorOf(answer).code]).toEqual([400, "E_BAD_REQUEST"])
  expect(errorOf(answer).message).toContain("label")
})

it("[C-62] a call that the route refuses is a use: the key was accepted; no log line has its secret", async () => {
  const { keyId, secret } = await mintKey(service, ["rooms:read"])
  const room = await ask(service, `/v1/projects/${service.project}/rooms/r`, as(secret))
  expect([room.status, errorOf(room).code]).toEqual([404, "E_ROOM_NOT_FOUND"])
  const row = (await keysOf(service)).find((each) => each["keyId"] === keyId)
  expect(row?.["lastUsed"]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  expect(service.output()).not.toContain(secret.slice(3))
})

it("[D-19] unknown, malformed and foreign key ids get the same 404", async () => {
  const made = await ask(
    service,
    "/v1/projects",
    as(service.token, { method: "POST", body: { name: "other" } })
  )
  const project: string = JSON.parse(made.text).id
  const foreign = await mintKey(service, ["rooms:read"], project)
  const ids = ["key_0000000000000000", "key_", "x", "%00", "k".repeat(300), foreign.keyId]
  const answers = await Promise.all(ids.map((id) => revoke(id)))
  for (const answer of answers) {
    expect([answer.status, errorOf(answer).code]).toEqual([404, "E_KEY_NOT_FOUND"])
  }
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  expect((await listRooms(foreign.secret, project)).status).toBe(200)
})
