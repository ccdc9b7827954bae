import { AuditLimits } from "@atrium/domain/audit/AuditLimits"
import { describe, expect, it } from "vitest"

import { as, ask, mintKey } from "../testing/KeysUnderTest.ts"
import { roomsOf } from "../testing/RoomsUnderTest.ts"
import { call } from "../testing/RunningService.ts"
import { sharedService } from "../testing/ServiceUnderTest.ts"

const service = sharedService()

const rowsOf = async (path: string): Promise<ReadonlyArray<Record<string, unknown>>> => {
  const answer = await ask(service, path, as(service.token))
  expect(answer.status, answer.text).toBe(200)
  return JSON.parse(answer.text)
}
const ofProject = (query = "", project = service.project) =>
  rowsOf(`/v1/projects/${project}/audit${query}`)

describe("the audit log", () => {
  it("[C-233] tells who deleted, set, minted and revoked, with the id of each request", async () => {
    await roomsOf(service).asleep("gone", 1)
    const key = await mintKey(service, ["rooms:write"])
    const since = new Date().toISOString()
    const path = `/v1/projects/${service.project}`
    const deletion = as(key.secret, { method: "DELETE" })
    const deleted = await ask(service, `${path}/rooms/gone`, deletion)
    expect(deleted.status).toBe(200)
    // Nothing happens: the room is gone.
    expect((await ask(service, `${path}/rooms/gone`, deletion)).status).toBe(404)
    const caps = { caps: { roomHours: null } }
    const set = await ask(
      service,
      `${path}/caps`,
      as(service.token, { method: "PATCH", body: caps })
    )
    const revoking = as(service.token, { method: "DELETE" })
    const revoked = await ask(service, `${path}/keys/${key.keyId}`, revoking)
    const row = (action: string, target: string | null, answer: typeof set) => ({
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      action,
      outcome: "done",
      project: service.project,
      target,
      actor: action === "room.delete" ? key.keyId : expect.stringMatching(/^tok_[0-9a-f]{16}$/),
      address: "127.0.0.1",
      requestId: answer.headers.get("x-request-id")
    })
    expect(await ofProject(`?since=${since}`)).toEqual([
      row("key.revoke", key.keyId, revoked),
      row("caps.set", null, set),
      row("room.delete", "gone", deleted)
    ])
    const [newest] = await ofProject("?limit=1")
    expect(newest).toMatchObject({ action: "key.revoke" })
    const minted = (await ofProject()).find(({ action }) => action === "key.mint")
    expect(minted).toMatchObject({ target: key.keyId })
    expect(JSON.stringify(await ofProject())).not.toContain(key.secret)
  })

  it("[C-233] shows a deleted project to its account", async () => {
    const { token } = service
    const made = await call(service.url, "/v1/projects", { token, body: { name: "short-lived" } })
    const project = String(made.body["id"])
    const path = `/v1/projects/${project}`
    await call(service.url, path, { token, method: "DELETE" })
    expect((await ask(service, `${path}/audit`, as(token))).status).toBe(404)
    const rows = (await rowsOf("/v1/me/audit")).filter(({ target }) => target === project)
    expect(rows).toMatchObject([
      { action: "project.delete", project },
      { action: "project.make", project: null }
    ])
  })

  const { max } = AuditLimits.auditRows
  it.each([
    [`limit=${max}`, 200],
    [`limit=${max + 1}`, 400],
    ["limit=0", 400],
    ["limit=x", 400],
    ["since=2026-11-21T11:44:00Z", 200],
    ["since=yesterday", 400],
    ["since=2026-13-41T11:44:00Z", 400],
    ["before=x", 400]
  ] as const)("[C-233] [limits.auditRows] ?%s is %d", async (query, status) => {
    const path = `/v1/projects/${service.project}/audit?${query}`
    expect((await ask(service, path, as(service.token))).status).toBe(status)
  })
})
