import { until } from "@atrium/domain/testing/Until"
import { afterEach, describe, expect, it } from "vitest"

import { as, ask, errorOf, mintKey } from "../testing/KeysUnderTest.ts"
import { type ProbeRoom, roomsOf } from "../testing/RoomsUnderTest.ts"
import { call } from "../testing/RunningService.ts"
import { serviceUnderTest } from "../testing/ServiceUnderTest.ts"
import { followLog, type ShownLine, type Tail, textsOf } from "../testing/TailReader.ts"

const service = serviceUnderTest()
const path = (project = service.project) => `/v1/projects/${project}/logs`

const linesOf = async (query: string): Promise<ReadonlyArray<ShownLine>> => {
  const answer = await ask(service, `${path()}${query}`, as(service.token))
  expect(answer.status, answer.text).toBe(200)
  return JSON.parse(answer.text)
}

const say = (room: ProbeRoom, text: string, more: { level?: string; count?: number } = {}) =>
  room.request("log", { text, level: more.level ?? "info", count: more.count ?? 1 })

const newProject = async (name: string): Promise<string> => {
  const body = { method: "POST", body: { name } }
  return String(JSON.parse((await ask(service, "/v1/projects", as(service.token, body))).text).id)
}

const open: Array<Tail> = []
afterEach(async () => {
  for (const tail of open.splice(0)) {
    tail.close()
    await tail.ended
  }
})

const follow = async (
  query: string,
  following: { readonly lastId?: string | undefined; readonly project?: string } = {}
): Promise<Tail> => {
  const tail = await followLog(service, { query, ...following })
  open.push(tail)
  return tail
}

describe("the logs of a project", () => {
  it("[D-37] shows what its rooms logged, by room, level and number, and why a room ended", async () => {
    const rooms = roomsOf(service)
    const [arena, hall] = [await rooms.join("arena"), await rooms.join("hall")]
    await say(arena, "one")
    await say(hall, "two \u0000 \u001b[2J", { level: "error" })
    const all = await until("the lines are stored", async () => {
      const lines = await linesOf("")
      return lines.length === 2 && lines
    })
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/)
    expect(all).toEqual([
      { at, roomId: "arena", level: "info", line: "one" },
      { at, roomId: "hall", level: "error", line: "two \u0000 \u001b[2J" }
    ])
    expect(await linesOf("?room=hall")).toEqual(all.slice(1))
    expect(await linesOf("?level=warn")).toEqual(all.slice(1))
    expect(await linesOf("?limit=1")).toEqual(all.slice(1))
    expect(await linesOf(`?since=${all[1]?.at}&room=arena`)).toEqual(
      all[0]?.at === all[1]?.at ? all.slice(0, 1) : []
    )
    expect(await linesOf("?room=..%2f..")).toEqual([])
    await hall.request("crash", {}).catch(() => undefined)
    await until("the fault is there", async () => {
      const faults = await linesOf("?room=hall&level=error")
      return faults.some(({ line }) => line.includes("crashed on purpose"))
    })
    await until("the end is the last line", async () => {
      const [last] = await linesOf("?room=hall&limit=1")
      return last?.line.includes("the room's process ended: crashed")
    })
  })

  it("[D-37] wants a login, a project of the caller's and parameters of the contract", async () => {
    const key = await mintKey(service, ["rooms:read", "rooms:write"])
    for (const route of [path(), `${path()}/tail`]) {
      expect((await ask(service, route)).status).toBe(401)
      expect((await ask(service, route, as(key.secret))).status).toBe(401)
      for (const [query, culprit] of [
        ["?level=loud", "level"],
        ["?since=yesterday", "since"],
        ["?rooms=a", "rooms"]
      ]) {
        const refused = await ask(service, `${route}${query}`, as(service.token))
        expect([refused.status, errorOf(refused).message]).toEqual([
          400,
          expect.stringContaining(culprit ?? "")
        ])
      }
    }
    expect((await ask(service, `${path()}?limit=1000`, as(service.token))).status).toBe(200)
    expect((await ask(service, `${path()}?limit=1001`, as(service.token))).status).toBe(400)
    // [limits.logSearchBytes] [C-801]
    for (const [text, status] of [
      ["é".repeat(128), 200],
      [`${"é".repeat(128)}a`, 400],
      ["", 400]
    ] as const) {
      const route = `${path()}?contains=${encodeURIComponent(text)}`
      expect((await ask(service, route, as(service.token))).status).toBe(status)
    }
    const bad = as(service.token)
    const id = { ...bad, headers: { ...bad.headers, "last-event-id": "x" } }
    expect((await ask(service, `${path()}/tail`, id)).status).toBe(400)
  })

  it("[D-05] a foreign project is as one that is not there", async () => {
    const invited = await call(service.url, "/v1/me/invitations", {
      token: service.token,
      body: { name: "stranger" }
    })
    const body = { code: invited.body["code"], name: "stranger" }
    const { token } = (await call(service.url, "/v1/login/invitation", { body })).body
    for (const end of ["", "/tail"]) {
      const missing = await ask(service, `${path("p_00000000000000ee")}${end}`, as(String(token)))
      const foreign = await ask(service, `${path()}${end}`, as(String(token)))
      expect([foreign.status, foreign.text]).toEqual([404, missing.text])
    }
  })
})

describe("the tail of a project's logs", () => {
  it("[C-332] begins with the last lines, tells each as it comes, and resumes by the last id", async () => {
    const room = await roomsOf(service).join("tailed")
    await say(room, "before")
    const tail = await follow("?room=tailed")
    await until("the line before", () => textsOf(tail).length === 1)
    await say(room, "now", { level: "error" })
    await until("the line now", () => textsOf(tail).length === 2)
    expect(textsOf(tail)).toEqual(["before", "now"])
    const [first, second] = tail.events
    expect(Number(second?.id)).toBeGreaterThan(Number(first?.id))
    tail.close()
    await say(room, "meanwhile")
    const resumed = await follow("?room=tailed", { lastId: second?.id })
    await say(room, "after")
    await until("both lines", () => textsOf(resumed).length === 2)
    expect(textsOf(resumed)).toEqual(["meanwhile", "after"])
    const errors = await follow("?room=tailed&level=error")
    await until("the fault", () => textsOf(errors).length === 1)
    expect(textsOf(errors)).toEqual(["now"])
  })

  it("[C-332] resumes from the store what memory has no more", async () => {
    const room = await roomsOf(service).join("stored")
    await say(room, "old")
    const before = await follow("?room=stored")
    await until("the line", () => textsOf(before).length === 1)
    await until("the line is stored", async () => (await linesOf("?room=stored")).length === 1)
    const [old] = before.events
    // A room may log 200 lines a second, counted by the machine's clock: the next part comes a second later.
    for (let part = 0; part < 4; part++) {
      await say(room, `${part}.#`, { count: 150 })
      const lines = 1 + 150 * (part + 1)
      await until("they are stored", async () => {
        const stored = await linesOf("?room=stored&limit=1000")
        if (stored.length < lines) return false
        // Lines bear the time of the machine's clock, and a room may write so many a second.
        return Date.now() - Date.parse(stored.at(-1)?.at ?? "") > 1000
      })
    }
    const resumed = await follow("?room=stored", { lastId: String(Number(old?.id) - 1) })
    await until("all lines", () => textsOf(resumed).length >= 601)
    expect(textsOf(resumed)).toEqual([
      "old",
      ...Array.from({ length: 600 }, (_, at) => `${Math.floor(at / 150)}.${at % 150}`)
    ])
    expect(textsOf(await allOf("?room=stored"))).toHaveLength(500)
  })

  const allOf = async (query: string): Promise<Tail> => {
    const tail = await follow(query)
    await until("the lines in memory", () => textsOf(tail).length >= 500)
    return tail
  }

  it("[C-402] ends when its project is deleted", async () => {
    const project = await newProject("gone")
    const response = await fetch(`${service.url}${path(project)}/tail`, as(service.token))
    const deleted = await ask(
      service,
      `/v1/projects/${project}`,
      as(service.token, { method: "DELETE" })
    )
    expect([response.status, deleted.status]).toEqual([200, 200])
    // It lasts five minutes while the project is there.
    expect(await response.text()).toMatch(/^(?:event: ping\ndata: \n\n)+$/)
  })

  it("[C-332] a project has ten at once: the eleventh is refused, and one that leaves makes a place", async () => {
    // The service may still have tails of the tests before in its own project.
    const project = await newProject("tailed")
    const tails: Array<Tail> = []
    for (let count = 0; count < 10; count++) tails.push(await follow("", { project }))
    const asked = () => ask(service, `${path(project)}/tail`, as(service.token))
    const refused = await asked()
    expect([refused.status, errorOf(refused).code]).toEqual([429, "E_RATE_LIMITED"])
    tails[0]?.close()
    await until("there is a place", async () => {
      const response = await fetch(`${service.url}${path(project)}/tail`, as(service.token))
      await response.body?.cancel()
      return response.status === 200
    })
  })
})
