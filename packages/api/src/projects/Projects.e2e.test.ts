import { describe, expect, it } from "vitest"

import { codeOf, messageOf } from "../testing/RoomsUnderTest.ts"
import { call } from "../testing/RunningService.ts"
import { sharedService } from "../testing/ServiceUnderTest.ts"

const service = sharedService()

interface Asked {
  readonly method?: string
  readonly body?: unknown
  readonly token?: string
}

const ask = (path: string, request: Asked = {}) =>
  call(service.url, `/v1/projects${path}`, { token: service.token, ...request })

/** A project of its own, and the ways to it. */
const newProject = async (name = "under test") => {
  const { status, body } = await ask("", { body: { name } })
  expect(status).toBe(201)
  const id = String(body["id"])
  return {
    id,
    record: body,
    read: async () => (await ask(`/${id}`)).body,
    set: (settings: Readonly<Record<string, unknown>>) =>
      ask(`/${id}`, { method: "PATCH", body: settings }),
    remove: () => ask(`/${id}`, { method: "DELETE" })
  }
}

const nothingSet = {
  connectionsPerIpPerMin: null,
  vmMemMib: null,
  queues: {},
  boards: {},
  origins: ["*"],
  audienceRole: null,
  preRelease: false,
  static: null
}

describe("POST and GET", () => {
  it("[D-13] [project.record.shape] a project is made with nothing set", async () => {
    const project = await newProject("fresh")
    expect(project.record).toEqual({
      id: expect.stringMatching(/^p_[0-9a-f]{16}$/),
      name: "fresh",
      plan: "card",
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      ...nothingSet,
      currentVersion: null
    })
    expect(await project.read()).toEqual(project.record)
    const list = await fetch(`${service.url}/v1/projects`, {
      headers: { authorization: `Bearer ${service.token}` }
    })
    expect(list.status).toBe(200)
    expect(list.headers.get("content-type")).toMatch(/^application\/json/)
    expect((await list.json())[0]).toEqual(project.record)
  })

  it.each(["a\u0000b", "a\u001b[2Jb", "a\ud800", "a\nb", " ", "\u202egnp"])(
    "[C-72] %j is no name",
    async (name) => {
      const answer = await ask("", { body: { name } })
      expect([answer.status, codeOf(answer)]).toEqual([400, "E_BAD_REQUEST"])
      expect(messageOf(answer)).toContain("field name")
    }
  )
})

describe("PATCH", () => {
  it.each([
    { queues: JSON.parse('{"__proto__":{"size":3}}') },
    { audienceRole: "AZaz09_-.:".padEnd(32, "x") }
  ])("[project.patch.response] %j is taken", async (settings) => {
    const project = await newProject()
    const { status, body } = await project.set({ name: "under test", ...settings })
    expect([status, JSON.stringify(body)]).toEqual([
      200,
      JSON.stringify({ ...project.record, ...settings })
    ])
  })

  it.each<readonly [id: string, settings: Readonly<Record<string, unknown>>, says: string]>([
    ["C-120", { audienceRole: "player" }, "field audienceRole: must not be player"],
    ["error.http.400-names", { plan: "free" }, "unknown field: plan"],
    ["error.http.400-names", { id: "p_0" }, "unknown field: id"],
    ["error.http.400-names", JSON.parse('{"__proto__":1}'), "unknown field: __proto__"],
    [
      "D-33",
      { queues: { ranked: { teams: [{ seats: 2 }, {}] } } },
      "unknown field: queues.ranked.teams.0.seats"
    ]
  ])("[%s] %j is refused, and nothing of it set", async (_id, settings, says) => {
    const project = await newProject()
    const others = { vmMemMib: 512, boards: { fine: { direction: "lower" } } }
    // Object.assign would take `__proto__` for the prototype.
    const body = { name: "under test", ...others, ...settings }
    const answer = await project.set(body)
    expect([answer.status, codeOf(answer)]).toEqual([400, "E_BAD_REQUEST"])
    expect(messageOf(answer)).toContain(says)
    expect(await project.read()).toEqual(project.record)
  })
})

describe("PUT name", () => {
  it.each([{}, { name: "" }, { name: "n".repeat(101) }, { name: 1 }, { name: "a", plan: "free" }])(
    "[T-26] %j renames nothing",
    async (body) => {
      const project = await newProject()
      const answer = await ask(`/${project.id}/name`, { method: "PUT", body })
      expect([answer.status, codeOf(answer)]).toEqual([400, "E_BAD_REQUEST"])
      expect(await project.read()).toEqual(project.record)
    }
  )
})
