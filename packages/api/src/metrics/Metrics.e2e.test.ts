import { until } from "@atrium/domain/testing/Until"
import { describe, expect, it } from "vitest"

import { roomsOf } from "../testing/RoomsUnderTest.ts"
import { call } from "../testing/RunningService.ts"
import { serviceUnderTest } from "../testing/ServiceUnderTest.ts"

const service = serviceUnderTest()

const ofProject = (token = service.token) =>
  call(service.url, `/v1/projects/${service.project}/metrics`, { token })

const prometheus = async (token?: string) => {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const response = await fetch(`${service.url}/metrics`, { headers })
  const type = response.headers.get("content-type")
  return { status: response.status, type, text: await response.text() }
}

/** The socket of the test before is gone for the service as well, which hears of it after its client. */
const onlyOne = () =>
  until("one socket", async () => /^atrium_sockets 1$/m.test((await prometheus()).text))

/** A credential of a second account. */
const stranger = async (): Promise<string> => {
  const invited = await call(service.url, "/v1/me/invitations", {
    token: service.token,
    body: { name: "stranger" }
  })
  const body = { code: invited.body["code"], name: "stranger" }
  const login = await call(service.url, "/v1/login/invitation", { body })
  return String(login.body["token"])
}

describe("the metrics of a project", () => {
  it("[metrics.ingressBytes] [metrics.egressBytes] bytes are counted also when the room is gone", async () => {
    const before = (await ofProject()).body
    const rooms = roomsOf(service)
    const room = await rooms.join("counted")
    room.send("say", { text: "x".repeat(200) })
    await room.request("add", { by: 1 })
    await room.leave()
    await until("it sleeps", async () => (await rooms.status("counted")) === "hibernated")
    const after = (await ofProject()).body
    const grown = (name: string) => Number(after[name]) - Number(before[name])
    expect(grown("ingressBytes")).toBeGreaterThan(200)
    expect(grown("ingressBytes")).toBeLessThan(400)
    expect(grown("egressBytes")).toBeGreaterThan(30)
    expect(grown("egressBytes")).toBeLessThan(2000)
  })
})

describe("/metrics", () => {
  it("[C-265] counts the turns of the event loop by their length", async () => {
    const counts = async () => {
      const { text } = await prometheus()
      const count = (bound: string) =>
        Number(new RegExp(`^atrium_event_loop_turn_seconds_${bound} (.*)$`, "m").exec(text)?.[1])
      return { all: count("count"), short: count('bucket\\{le="5"\\}') }
    }
    const before = await counts()
    const after = await counts()
    expect(before.all).toBeGreaterThan(0)
    expect(after.all).toBeGreaterThan(before.all)
    expect(after.short).toBe(after.all)
  })

  it("[D-51] shows connections, rooms, bytes and memory of the runner to everybody, and no project", async () => {
    const room = await roomsOf(service).join("shown")
    await onlyOne()
    const { status, type, text } = await prometheus()
    expect([status, type]).toEqual([200, expect.stringContaining("text/plain")])
    expect(text).toMatch(/^atrium_sockets 1$/m)
    expect(text).toMatch(/^atrium_rooms\{status="awake"\} 1$/m)
    expect(text).toMatch(/^# TYPE atrium_ingress_bytes_total counter$/m)
    expect(text).toMatch(/^atrium_ingress_bytes_total [1-9]\d*$/m)
    expect(text).toMatch(/^atrium_egress_bytes_total [1-9]\d*$/m)
    expect(text).toMatch(/^atrium_resident_bytes [1-9]\d{6,}$/m)
    expect(text).not.toContain("project")
    // What has been counted is not counted again.
    const bytesIn = (shown: string) => /^atrium_ingress_bytes_total (\d+)$/m.exec(shown)?.[1]
    expect(bytesIn((await prometheus()).text)).toBe(bytesIn(text))
    await room.leave()
  })

  it("[D-51] shows projects to the operator, and refuses every other credential", async () => {
    const room = await roomsOf(service).join("shown")
    await onlyOne()
    const { status, text } = await prometheus(service.token)
    expect(status).toBe(200)
    expect(text).toMatch(/^atrium_sockets 1$/m)
    const { project } = service
    const lines = text.split("\n").filter((line) => line.includes(`project="${project}"`))
    expect(lines).toHaveLength(10)
    expect(lines).toContain(`atrium_project_sockets{project="${project}"} 1`)
    expect(lines).toContain(`atrium_project_rooms{project="${project}",status="awake"} 1`)
    for (const token of [await stranger(), "ct_none", `${service.token}x`]) {
      const refused = await prometheus(token)
      expect([refused.status, JSON.parse(refused.text).error.code]).toEqual([
        401,
        "E_UNAUTHENTICATED"
      ])
    }
    await room.leave()
  })
})
