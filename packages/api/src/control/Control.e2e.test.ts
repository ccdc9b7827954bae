import { existsSync, readdirSync, readFileSync } from "node:fs"

import { until } from "@atrium/domain/testing/Until"
import { describe, expect, it } from "vitest"

import { sourceOf } from "../testing/BuiltPrograms.ts"
import { controlOf } from "../testing/ControlUnderTest.ts"
import { codeOf, messageOf, roomsOf } from "../testing/RoomsUnderTest.ts"
import { call, makeHome } from "../testing/RunningService.ts"
import { sharedService } from "../testing/ServiceUnderTest.ts"

const service = sharedService("controlled")
const control = controlOf(service)
const rooms = () => roomsOf(service)

interface Server {
  readonly id: string
  readonly state: string
  readonly rooms: ReadonlyArray<string>
}
const servers = async (): Promise<ReadonlyArray<Server>> => {
  const { body } = await control.ask("servers/list", { project: service.project })
  return Object(body["servers"])
}
const serverOf = async (roomId: string): Promise<string> =>
  until("its server", async () => (await servers()).find((each) => each.rooms.includes(roomId))?.id)

describe("the control listener", () => {
  it("[D-49] says where it is before the service is ready, and what it has", async () => {
    expect(service.output()).toMatch(
      /^control http:\/\/127\.0\.0\.1:\d+ ctl_[A-Za-z0-9_-]{43}\n[^]*^ready http/m
    )
    const response = await fetch(`${control.url}/_control`, {
      headers: { authorization: `Bearer ${control.token}` }
    })
    expect([response.status, await response.json()]).toEqual([
      200,
      {
        service: "Atrium",
        version: "0.1.0",
        hooks: [
          "clock",
          "servers",
          "memory",
          "storage",
          "meters",
          "plan",
          "outbox",
          "metrics",
          "logs",
          "seed",
          "listeners"
        ]
      }
    ])
  })

  it("[D-49] answers nobody without its token, and says no more to them", async () => {
    const tokens = ["", "x", service.token, `${control.token}x`, control.token.slice(0, -1)]
    for (const token of tokens) {
      const answer = await control.ask("clock/now", {}, token)
      expect([answer.status, codeOf(answer)]).toEqual([401, "E_UNAUTHENTICATED"])
      expect((await control.ask("nothing/here", {}, token)).status).toBe(401)
    }
    expect((await fetch(`${control.url}/_control`)).status).toBe(401)
  })

  it.each([
    ["nothing/here", {}],
    ["clock", {}],
    ["toString", {}],
    ["memory/fill", { project: "dev", room: "one", bytes: 1 }],
    ["outbox/send", { project: "dev" }]
  ])("[D-49] %s is no hook: 404", async (hook, body) => {
    const answer = await control.ask(hook, body)
    expect([answer.status, codeOf(answer)]).toEqual([404, "E_NOT_FOUND"])
  })

  it.each([
    ["clock/advance", {}, "ms"],
    ["clock/advance", { ms: -1 }, "ms"],
    ["clock/advance", { ms: 1.5 }, "ms"],
    ["clock/advance", { ms: 1e15 }, "ms"],
    ["clock/advance", { ms: 1, more: 1 }, "more"],
    ["clock/hold", { held: "yes" }, "held"],
    ["clock/now", null, "body"],
    ["servers/pause", { server: "p_0" }, "server"],
    ["memory/pressure", { server: "srv_000000000000", level: "low" }, "level"],
    ["memory/pressure", { server: "p_0", level: "high" }, "server"],
    ["memory/heap", { project: "dev", room: "none" }, "room"],
    ["storage/remove", { key: "rooms/none" }, "key"],
    ["plan/set", { project: "p_0000000000000000", tier: "card" }, "project"],
    ["plan/set", { project: "dev", tier: "gold" }, "tier"],
    ["meters/set", { project: "dev", meter: "cpu", used: 1 }, "meter"]
  ])("[D-49] %s refuses %j, and names %s", async (hook, body, field) => {
    const answer = await control.ask(hook, body)
    expect([answer.status, codeOf(answer)]).toEqual([400, "E_BAD_REQUEST"])
    expect(messageOf(answer)).toMatch(new RegExp(`^${field}: [^\n]+$`))
  })

  it("[D-49] its token is in no file of the service, nor anywhere in the store", async () => {
    const running = `${service.dataDir}/running.json`
    expect(existsSync(running)).toBe(true)
    expect(readFileSync(running, "utf8")).not.toContain("ctl_")
    const { body } = await control.ask("storage/search", { text: control.token })
    expect(body).toEqual({ found: 0 })
  })
})

describe("[control.absent] without --control-port", () => {
  it("[D-49] there is no listener, no code of it, and its paths are any other unrouted paths", async () => {
    const other = await makeHome()
    const loaded = `${other.dataDir}/loaded`
    const plain = await other.start({
      // Its modules have their names.
      program: sourceOf("service"),
      env: { ATRIUM_CONTROL_PORT: "0", NODE_V8_COVERAGE: loaded }
    })
    expect(plain.output()).not.toMatch(/control http|ctl_/)
    for (const [path, request] of [
      ["/_control", {}],
      ["/_control/clock/advance", { body: { ms: 1000 }, token: plain.token }]
    ] as const) {
      const answer = await call(plain.url, path, request)
      const unrouted = await call(plain.url, path.replace("_control", "_nothing"), request)
      expect(answer).toEqual(unrouted)
      expect([answer.status, codeOf(answer)]).toEqual([404, "E_NOT_FOUND"])
    }
    expect(await plain.stop()).toBe(0)
    // Node tells of every module that it has loaded: these are there, and those of test mode are not.
    const modules = readdirSync(loaded).map((file) => readFileSync(`${loaded}/${file}`, "utf8"))
    expect(modules.join()).toContain("/packages/api/src/start/Banner.ts")
    expect(modules.join()).not.toMatch(/\/packages\/api\/src\/(?:control\/|\w+\/\w+Hooks\.ts)/)
    await other.remove()
  })

  it("[D-49] with it, the public port has none of it either", async () => {
    const answer = await call(service.url, "/_control/clock/now", {
      body: {},
      token: control.token
    })
    expect([answer.status, codeOf(answer)]).toEqual([404, "E_NOT_FOUND"])
  })
})

describe("faults of servers", () => {
  it("[C-86] isolated: it cannot be told anything, and its clients play on", async () => {
    const room = await rooms().join("isolated")
    const server = await serverOf("isolated")
    await control.ask("servers/isolate", { server })
    expect(await room.request("add", { by: 1 })).toEqual({ value: 1 })
    const answer = await rooms().ask("/isolated?force=true", { method: "DELETE" })
    expect([answer.status, codeOf(answer)]).toEqual([502, "E_EVICT_FAILED"])
    expect(await room.request("add", { by: 1 })).toEqual({ value: 2 })
    await control.ask("servers/resume", { server })
    // An eviction that could not reach the server then is not carried out now.
    expect(await room.request("add", { by: 1 })).toEqual({ value: 3 })
    const deleted = await rooms().ask("/isolated?force=true", { method: "DELETE" })
    expect(deleted.status).toBe(200)
  })

  it("[C-86] killed: its rooms come back with what they had stored", async () => {
    const room = await rooms().join("killed")
    await room.request("addDurably", { by: 5 })
    await room.request("add", { by: 5 })
    const server = await serverOf("killed")
    await control.ask("servers/kill", { server })
    await until("it is back", () => room.connected && room.state.counter.value === 5)
    expect(room.state.counter.starts).toBe(1)
    await until("it is held", async () => (await serverOf("killed")) === server)
    await room.leave()
  })
})

describe("the stored state", () => {
  it("[C-87] is listed by room and by project, put, and removed by key", async () => {
    await rooms().asleep("stored", 9)
    const list = async (room?: string) =>
      Object(
        (await control.ask("storage/list", { project: service.project, room: room ?? null })).body[
          "objects"
        ]
      )
    const ofRoom = await list("stored")
    const [first] = ofRoom
    const prefix = `rooms/${service.project}/stored/`
    expect(ofRoom.length).toBeGreaterThan(0)
    for (const { key } of ofRoom) expect(key).toContain(prefix)
    expect(first).toEqual({
      key: expect.any(String),
      bytes: expect.any(Number),
      storedAtMs: expect.any(Number)
    })
    expect((await list()).length).toBeGreaterThan(ofRoom.length)
    const put = { key: `${prefix}extra`, base64: Buffer.from("hello").toString("base64") }
    expect((await control.ask("storage/put", put)).status).toBe(200)
    expect(await list("stored")).toContainEqual(expect.objectContaining({ key: put.key, bytes: 5 }))
    expect((await control.ask("storage/remove", { key: put.key })).status).toBe(200)
    expect(await list("stored")).toEqual(ofRoom)
  })

  it("[C-87] is searched in every column of every table, bytes included", async () => {
    const found = async (text: string) =>
      (await control.ask("storage/search", { text })).body["found"]
    expect(await found("nowhere to be found")).toBe(0)
    expect(await found(service.project)).toBeGreaterThan(0)
    const key = `rooms/${service.project}/searched/extra`
    const base64 = Buffer.from("a needle in bytes").toString("base64")
    await control.ask("storage/put", { key, base64 })
    expect(await found("needle in bytes")).toBe(1)
    await control.ask("storage/remove", { key })
    expect(await found("needle in bytes")).toBe(0)
    // A login token is stored as its hash alone.
    expect(await found(service.token)).toBe(0)
  })

  it("[C-87] stalled, writes wait and reads do not; then they are made", async () => {
    const room = await rooms().join("stalled")
    await control.ask("storage/stall", { stalled: true })
    let written = false
    const durable = room.request("addDurably", { by: 3 }).then((answer) => {
      written = true
      return answer
    })
    // Its state is asked for and the write is on its way; another read comes and goes meanwhile.
    expect((await rooms().ask("/stalled")).status).toBe(200)
    expect(await room.request("add", { by: 0 })).toEqual({ value: 3 })
    expect((await rooms().ask("/stalled/saves")).status).toBe(200)
    expect(written).toBe(false)
    await control.ask("storage/stall", { stalled: false })
    expect(await durable).toEqual({ value: 3 })
    await room.leave()
  })
})

describe("meters, plan and metrics", () => {
  it("[D-45] [events.4290.dataout] past the data-out wall rooms are stored and sleep, and their clients stop", async () => {
    const { project, token } = service
    const path = `/v1/projects/${project}/caps`
    const room = await rooms().join("spent")
    await room.request("add", { by: 7 })
    const minutes = (count: number) => control.ask("clock/advance", { ms: count * 60_000 })
    await room.request("alarmIn", { ms: 60_000 })
    const left = new Promise<number>((resolve) => void room.onLeave(resolve))
    const ceiling = async (dataOutBytes: number | null) =>
      call(service.url, path, { token, method: "PATCH", body: { caps: { dataOutBytes } } })
    const use = (used: number) =>
      control.ask("meters/set", { project, meter: "dataOutBytes", used })
    // What the room itself sends counts, too, and is far less than what lies between these.
    const [some, most, more] = [998_000_000, 999_000_000, 1_000_000_000]
    await ceiling(most)
    await use(some)
    expect((await rooms().ask("/spent")).body).toMatchObject({ status: "awake" })
    await use(most)
    expect(await left).toBe(4290)
    expect((await rooms().ask("/spent")).body).toMatchObject({ status: "hibernated" })
    const asleep = (await rooms().ask("/spent")).body
    expect(asleep).toMatchObject({ status: "hibernated" })
    await minutes(2)
    for (const roomId of ["spent", "spent-new"]) {
      await expect(rooms().join(roomId)).rejects.toMatchObject({
        code: "E_CAP_REACHED",
        closeCode: 4402,
        reason: expect.stringMatching(
          /^dataOutBytes: the cap of 999000000 is reached; the period ends \d{4}-\d\d-01T00:00:00\.000Z$/
        )
      })
    }
    // Its alarm is due, and rings when the wall is gone.
    expect((await rooms().ask("/spent")).body).toEqual(asleep)
    expect((await rooms().ask("/spent-new")).status).toBe(404)
    await ceiling(more)
    const fresh = await rooms().join("spent-new")
    await fresh.leave()
    await minutes(2)
    expect((await rooms().ask("/spent")).body["lastSeen"]).not.toBe(asleep["lastSeen"])
    const again = await rooms().join("spent")
    expect(again.state.counter).toMatchObject({ value: 7, alarms: 1 })
    // The service looks for the wall again and again, so it does not matter what moved the ceiling.
    const out = new Promise<number>((resolve) => void again.onLeave(resolve))
    await ceiling(most)
    await minutes(1)
    expect(await out).toBe(4290)
    await use(0)
    await (await rooms().join("spent")).leave()
    await ceiling(null)
  })

  it("[C-88] a set meter and plan are those of the caps", async () => {
    const { project, token } = service
    const caps = async () =>
      (await call(service.url, `/v1/projects/${project}/caps`, { token })).body
    const set = (meter: string, used: number) => control.ask("meters/set", { project, meter, used })
    expect((await set("voiceMinutes", 123)).status).toBe(200)
    const meters = Object((await caps())["meters"])
    expect([meters.voiceMinutes.used, meters.roomHours.used < 1]).toEqual([123, true])
    await set("roomHours", meters.roomHours.allowance)
    const standing = async (tier: string) => {
      expect((await control.ask("plan/set", { project, tier })).body).toEqual({ tier })
      const shown = await caps()
      return [shown["tier"], Object(shown["meters"]).roomHours.state]
    }
    expect(await standing("free")).toEqual(["free", "walled"])
    expect(await standing("card")).toEqual(["card", "warned"])
    await set("roomHours", 0)
  })
})
