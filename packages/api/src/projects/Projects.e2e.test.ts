import { describe, expect, it } from "vitest"

import { codeOf, messageOf, roomsOf } from "../testing/RoomsUnderTest.ts"
import { call, deploy, until } from "../testing/RunningService.ts"
import { serviceUnderTest } from "../testing/ServiceUnderTest.ts"

const service = serviceUnderTest()

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
  ...{ connectionsPerIpPerMin: null, vmMemMib: null, queues: {}, boards: {} },
  ...{ origins: ["*"], audienceRole: null, preRelease: false, static: null }
}

/** The service wrote these many lines about starts of a project's servers. */
const boots = (projectId: string): ReadonlyArray<string> =>
  service
    .output()
    .split("\n")
    .filter((line) => line.includes("a cold boot") && line.includes(`project=${projectId}`))

describe("POST and GET", () => {
  it("[D-13] [project.record.shape] [http.success-status] a project is made with nothing set", async () => {
    const project = await newProject("fresh")
    expect(project.record).toEqual({
      ...{ id: expect.stringMatching(/^p_[0-9a-f]{16}$/), name: "fresh", plan: "card" },
      ...{ createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) },
      ...nothingSet,
      currentVersion: null
    })
    expect(Object.keys(project.record)).toEqual([
      ...["id", "name", "plan", "createdAt", "connectionsPerIpPerMin", "vmMemMib", "queues"],
      ...["boards", "origins", "audienceRole", "preRelease", "static", "currentVersion"]
    ])
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
  it("[route.project.patch] [project.patch.response] [project.patch.connections.null-restores-default] [project.patch.queues-boards-same-form] sets what is named and answers it all", async () => {
    const project = await newProject()
    const settings = {
      connectionsPerIpPerMin: 150,
      vmMemMib: 512,
      queues: { "ranked.2": { size: 4, skill: true }, duel: { teams: [{ size: 1, count: 2 }] } },
      boards: { kills: { direction: "higher", period: "season:1", buckets: true, keep: 3 } },
      audienceRole: "viewer"
    }
    const answer = await project.set({ name: "under test", ...settings })
    expect([answer.status, answer.body]).toEqual([200, { ...project.record, ...settings }])
    expect(await project.read()).toEqual(answer.body)
    const cleared = await project.set({
      name: "under test",
      ...{ connectionsPerIpPerMin: null, vmMemMib: null, queues: {}, boards: {} },
      audienceRole: null
    })
    expect([cleared.status, cleared.body]).toEqual([200, project.record])
  })

  it.each([
    { connectionsPerIpPerMin: 1 },
    { connectionsPerIpPerMin: 150 },
    { connectionsPerIpPerMin: 100_000 },
    { connectionsPerIpPerMin: null },
    { vmMemMib: 128 },
    { vmMemMib: 4096 },
    { vmMemMib: 256 },
    { vmMemMib: null },
    { queues: Object.fromEntries(Array.from({ length: 32 }, (_, at) => [`q${at}`, {}])) },
    { queues: JSON.parse('{"__proto__":{"size":3}}') },
    { audienceRole: "v" },
    { audienceRole: "AZaz09_-.:".padEnd(32, "x") },
    { audienceRole: null },
    {}
  ])(
    "[project.patch.connections.type] [project.patch.vmMemMib.type] [limits.queues] %j is taken",
    async (settings) => {
      const project = await newProject()
      const { status, body } = await project.set({ name: "under test", ...settings })
      expect([status, JSON.stringify(body)]).toEqual([
        200,
        JSON.stringify({ ...project.record, ...settings })
      ])
    }
  )

  const connections = "must be a whole number from 1 to 100000"
  const memory = "must be a whole number from 128 to 4096"
  it.each<readonly [id: string, settings: Readonly<Record<string, unknown>>, says: string]>([
    ["T-25", { connectionsPerIpPerMin: 0 }, `field connectionsPerIpPerMin: ${connections}`],
    ["T-25", { connectionsPerIpPerMin: 100_001 }, connections],
    ["project.patch.connections.type", { connectionsPerIpPerMin: 1.5 }, connections],
    [
      "project.patch.connections.type",
      { connectionsPerIpPerMin: "150" },
      `${connections}, or null`
    ],
    ["project.patch.connections.type", { connectionsPerIpPerMin: true }, connections],
    ["project.patch.vmMemMib.min", { vmMemMib: 127 }, `field vmMemMib: ${memory}`],
    ["project.patch.vmMemMib.max", { vmMemMib: 4097 }, memory],
    ["project.patch.vmMemMib.type", { vmMemMib: 256.5 }, memory],
    ["project.patch.vmMemMib.type", { vmMemMib: "256" }, `${memory}, or null`],
    ["error.http.400-names", { origins: ["*"] }, "unknown field: origins"],
    [
      "C-120",
      { audienceRole: "" },
      "field audienceRole: must have 1 to 32 of A-Z a-z 0-9 _ - . :, or be null"
    ],
    [
      "C-120",
      { audienceRole: "a b" },
      "field audienceRole: must have 1 to 32 of A-Z a-z 0-9 _ - . :, or be null"
    ],
    [
      "C-120",
      { audienceRole: 5 },
      "field audienceRole: must have 1 to 32 of A-Z a-z 0-9 _ - . :, or be null"
    ],
    ["C-120", { audienceRole: "player" }, "field audienceRole: must not be player"],
    ["error.http.400-names", { preRelease: true }, "unknown field: preRelease"],
    ["error.http.400-names", { plan: "free" }, "unknown field: plan"],
    ["error.http.400-names", { id: "p_0" }, "unknown field: id"],
    ["error.http.400-names", JSON.parse('{"__proto__":1}'), "unknown field: __proto__"],
    [
      "queues.size.min",
      { queues: { ok: {}, ranked: { size: 1 } } },
      "field queues.ranked.size: must be a whole number from 2 to 64"
    ],
    [
      "queues.size-and-teams-refused",
      { queues: { ranked: { size: 2, teams: [{ count: 2 }] } } },
      "field queues.ranked: size and teams exclude each other"
    ],
    [
      "D-33",
      { queues: { ranked: { teams: [{ seats: 2 }, {}] } } },
      "unknown field: queues.ranked.teams.0.seats"
    ],
    [
      "limits.queues",
      { queues: Object.fromEntries(Array.from({ length: 33 }, (_, at) => [`q${at}`, {}])) },
      "field queues: at most 32 queues"
    ],
    [
      "boards.direction.required",
      { boards: { kills: {} } },
      "field boards.kills.direction: must be higher or lower"
    ],
    ["file.validate.boards-type", { boards: [] }, "field boards: must be an object of boards"],
    ["file.validate.boards-type", { boards: null }, "field boards: must be an object of boards"]
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

  it("[D-12] [project.patch.name.required] without the name nothing is set, and it is named", async () => {
    const project = await newProject()
    const answer = await project.set({ vmMemMib: 512 })
    expect([answer.status, codeOf(answer)]).toEqual([400, "E_BAD_REQUEST"])
    expect(messageOf(answer)).toMatch(/^field name: /)
    expect(await project.read()).toEqual(project.record)
  })

  it.each(["Under test", "under test ", "under  test", "", "a\u0000", "\ud800", 7, null])(
    "[D-12] [project.patch.name.must-match] %j is not the name: nothing is set",
    async (name) => {
      const project = await newProject()
      const answer = await project.set({ name, vmMemMib: 512 })
      expect([answer.status, codeOf(answer)]).toEqual([400, "E_BAD_REQUEST"])
      expect(messageOf(answer)).toMatch(/^field name: /)
      expect(await project.read()).toEqual(project.record)
    }
  )

  it.each([
    ["1 byte", "x"],
    ["2 bytes", "é"],
    ["3 bytes", "€"],
    ["4 bytes", "😀"]
  ])(
    "[error.message.cut-on-character] a thousand characters of %s are named in 96 bytes",
    async (_what, character) => {
      const project = await newProject()
      const response = await fetch(`${service.url}/v1/projects/${project.id}`, {
        method: "PATCH",
        headers: {
          authorization: `Bearer ${service.token}`,
          "content-type": "application/json"
        },
        body: JSON.stringify({ name: "under test", [character.repeat(1000)]: 1 })
      })
      const bytes = new Uint8Array(await response.arrayBuffer())
      const { error } = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
      expect([response.status, error.code]).toEqual([400, "E_BAD_REQUEST"])
      expect(Buffer.byteLength(error.message)).toBeLessThanOrEqual(96)
      expect(Buffer.byteLength(error.message)).toBeGreaterThan(96 - 4)
      expect(error.message).toMatch(new RegExp(`^unknown field: (?:${character})+…$`, "u"))
    }
  )

  it("[http.json-bodies] a body that is no JSON, or of another type, is 400", async () => {
    const project = await newProject()
    for (const [type, body] of [
      ["application/json", "{name"],
      ["application/json", ""],
      ["application/json", "[]"],
      ["text/plain", '{"name":"under test"}']
    ] as const) {
      const response = await fetch(`${service.url}/v1/projects/${project.id}`, {
        method: "PATCH",
        headers: { authorization: `Bearer ${service.token}`, "content-type": type },
        body
      })
      expect(response.status).toBe(400)
      expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8")
      expect((await response.json()).error.code).toBe("E_BAD_REQUEST")
    }
    expect(await project.read()).toEqual(project.record)
  })
})

describe("PUT name", () => {
  it("[T-26] the project has the new name from then on, and only that", async () => {
    const project = await newProject("before")
    const answer = await ask(`/${project.id}/name`, { method: "PUT", body: { name: "after ✓" } })
    expect([answer.status, answer.body]).toEqual([200, { ...project.record, name: "after ✓" }])
    expect((await project.set({ name: "before" })).status).toBe(400)
    expect((await project.set({ name: "after ✓" })).status).toBe(200)
  })

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

describe("credentials", () => {
  const routes = [
    ["GET", ""],
    ["PATCH", ""],
    ["DELETE", ""],
    ["PUT", "/name"],
    ["GET", "/caps"],
    ["PATCH", "/caps"],
    ["GET", "/deployments"],
    ["POST", "/jwt-secret"],
    ["DELETE", "/jwt-secret"],
    ["PUT", "/dev-lease"]
  ] as const

  it.each(routes)(
    "[D-03] %s /v1/projects/:id%s is for the owner's login only",
    async (method, path) => {
      const { id } = await newProject()
      const minted = await ask(`/${id}/keys`, {
        body: { scopes: ["rooms:read", "rooms:write"], label: "all that a key may do" }
      })
      const key = String(minted.body["secret"])
      // The credential is judged first: this body fits no route.
      const body = method === "GET" ? {} : { body: { nonsense: true } }
      for (const token of ["", key, `ct_${"a".repeat(43)}`, id, "p_0123456789abcdef"]) {
        const answer = await ask(`/${id}${path}`, { method, token, ...body })
        expect([answer.status, codeOf(answer)]).toEqual([401, "E_UNAUTHENTICATED"])
      }
      const answers = await Promise.all(
        ["p_0000000000000000", "nonsense", "p_%00", id.toUpperCase()].map((other) =>
          ask(`/${other}${path}`, { method, ...body })
        )
      )
      for (const answer of answers)
        expect([answer.status, codeOf(answer)]).toEqual([404, "E_NOT_FOUND"])
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    }
  )

  it("[version.v1-prefix] without the prefix there is no such path", async () => {
    const answer = await call(service.url, `/projects/${service.project}`, { token: service.token })
    expect([answer.status, codeOf(answer)]).toEqual([404, "E_NOT_FOUND"])
  })
})

describe("the project's server", () => {
  it("[project.vmMem.next-start] [project.connections.cold-boot] what is set holds from the next start on, and rooms come back", async () => {
    const project = await newProject("server")
    const under = { url: service.url, token: service.token, project: project.id }
    await deploy(under, ["rooms/probe.ts"])
    const rooms = roomsOf(under)
    await rooms.asleep("kept", 7)
    expect(boots(project.id)).toHaveLength(1)
    expect(boots(project.id)[0]).toContain("SERVICE_CONNECTIONS_PER_IP_PER_MIN=120 vmMemMib=128")

    const room = await rooms.join("holds-the-server")
    await until("the second start", () => boots(project.id).length === 2)
    await project.set({ name: "server", connectionsPerIpPerMin: 1000, vmMemMib: 256 })
    // The server runs: neither a room that comes nor one that goes starts it again.
    await rooms.asleep("comes-and-goes", 1)
    expect(boots(project.id)).toHaveLength(2)
    await room.leave()
    await until("an empty server", async () => {
      return (await rooms.status("holds-the-server")) === "hibernated"
    })

    expect(await rooms.valueOf("kept")).toBe(7)
    expect(boots(project.id)).toHaveLength(3)
    expect(boots(project.id)[2]).toContain("SERVICE_CONNECTIONS_PER_IP_PER_MIN=1000 vmMemMib=256")
  })
})
