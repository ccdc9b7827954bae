import { until } from "@atrium/domain/testing/Until"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

import { controlOf } from "../testing/ControlUnderTest.ts"
import { loginSteps } from "../testing/LoginSteps.ts"
import { call, makeHome, type RunningService, type ServiceHome } from "../testing/RunningService.ts"
import { type SmtpStub, startSmtpStub } from "../testing/SmtpStub.ts"

let stub: SmtpStub
let home: ServiceHome
let service: RunningService
beforeAll(async () => {
  stub = await startSmtpStub()
  home = await makeHome()
  service = await home.start({
    args: ["--control-port", "0"],
    env: {
      ATRIUM_SMTP_URL: stub.url,
      ATRIUM_MAIL_FROM: "atrium@example.com",
      ATRIUM_ALLOWANCES_CARD: "roomHours=10"
    }
  })
})
afterAll(async () => {
  try {
    expect(await service.stop()).toBe(0)
  } finally {
    await home.remove()
    await stub.close()
  }
})

const ask = (path: string, request: { method?: string; body?: unknown } = {}) =>
  call(service.url, path, { token: service.token, ...request })
const makeProject = async (name: string) =>
  String((await ask("/v1/projects", { body: { name } })).body["id"])
const alerts = async () => Object((await ask("/v1/billing")).body)["alerts"]

describe("billing", () => {
  it("[events.cap.email] [C-504] a cap that is reached shows an alert and sends one mail, also after a restart", async () => {
    const project = await makeProject("Duel")
    const mail = "ops@example.com"
    expect((await ask("/v1/billing", { method: "PATCH", body: { mail } })).body).toMatchObject({
      tier: "card",
      mail,
      alerts: []
    })
    const control = controlOf(service)
    const use = (used: number) => control.ask("meters/set", { project, meter: "roomHours", used })
    await use(8)
    await use(10)
    const alert = { project, name: "Duel", tier: "card", meter: "roomHours", cap: "allowance" }
    expect(await alerts()).toEqual(
      [80, 100].map((percent) => ({ ...alert, percent, bound: 10, at: expect.any(String) }))
    )
    await control.ask("clock/advance", { ms: 60_000 })
    await until("the mail", async () => stub.mails.length > 0)
    await use(20)
    await control.ask("clock/advance", { ms: 60_000 })
    expect(stub.mails).toHaveLength(1)
    expect(stub.mails[0]).toMatchObject({ from: "atrium@example.com", to: mail })
    expect(stub.mails[0]?.data).toContain("has reached its cap of roomHours")
    expect((await control.ask("outbox/read", { project })).body).toEqual({
      mails: [{ kind: "cap", subject: "Atrium: Duel has reached its cap of roomHours" }]
    })
  })

  it("[C-504] refuses an address that is none, and clears the address", async () => {
    const refused = await ask("/v1/billing", { method: "PATCH", body: { mail: "a@b\r\nbcc: c@d" } })
    expect([refused.status, Object(refused.body["error"]).code]).toEqual([400, "E_BAD_REQUEST"])
    const cleared = await ask("/v1/billing", { method: "PATCH", body: { mail: null } })
    expect(cleared.body["mail"]).toBe(null)
  })

  it("[C-503] shows an account its own alerts alone", async () => {
    const { invited } = loginSteps(service)
    const { token: stranger } = await invited("stranger")
    const answer = await call(service.url, "/v1/billing", { token: stranger })
    expect(answer.body).toMatchObject({ tier: "free", mail: null, alerts: [] })
  })
})

describe("plans and usage", () => {
  it("[C-507] the operator sets the plan of any project; to others the route is not there", async () => {
    const { invited } = loginSteps(service)
    const { token: stranger } = await invited("owner of another")
    const made = await call(service.url, "/v1/projects", { token: stranger, body: { name: "b" } })
    const path = `/v1/fleet/projects/${String(made.body["id"])}/plan`
    const put = (token: string, plan: string, at = path) =>
      call(service.url, at, { token, method: "PUT", body: { plan } })
    expect((await put(stranger, "free")).status).toBe(404)
    const set = await put(service.token, "free")
    expect([set.status, set.body]).toEqual([200, { id: made.body["id"], plan: "free" }])
    const caps = await call(service.url, `/v1/projects/${String(made.body["id"])}/caps`, {
      token: stranger
    })
    expect(caps.body["tier"]).toBe("free")
    expect((await put(service.token, "gold")).status).toBe(400)
    expect((await put(service.token, "card", "/v1/fleet/projects/p_0/plan")).status).toBe(404)
  })

  it("[C-508] usage is read as JSON or as a table", async () => {
    const project = await makeProject("Used")
    const path = `/v1/projects/${project}/usage`
    const read = await ask(path)
    expect(read.body).toMatchObject({ from: expect.any(String), days: [] })
    const [from = 0, to = 0] = ["from", "to"].map((end) => Date.parse(String(read.body[end])))
    expect(Math.round((to - from) / (30.44 * 86_400_000))).toBe(13)
    const table = await fetch(`${service.url}${path}`, {
      headers: { authorization: `Bearer ${service.token}`, accept: "text/csv" }
    })
    expect(table.headers.get("content-type")).toBe("text/csv; charset=utf-8")
    expect(await table.text()).toBe("day,roomHours,voiceMinutes,storageBytes,dataOutBytes\r\n")
  })
})
