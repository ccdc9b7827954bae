import { randomBytes } from "node:crypto"

import { beforeAll, describe, expect, it } from "vitest"

import { controlOf } from "../testing/ControlUnderTest.ts"
import { codeOf, messageOf, roomsOf } from "../testing/RoomsUnderTest.ts"
import { call } from "../testing/RunningService.ts"
import { sharedService } from "../testing/ServiceUnderTest.ts"
import { askHost, siteSteps } from "../testing/SiteSteps.ts"

const service = sharedService("controlled")
const control = controlOf(service)
const site = siteSteps(service, () => service.project)
const label = `walls-${randomBytes(4).toString("hex")}`
const page = () => askHost(service.url, { host: `${label}.localhost`, path: "/" })
const caps = (ceilings: Readonly<Record<string, number | null>>) =>
  call(service.url, `/v1/projects/${service.project}/caps`, {
    token: service.token,
    method: "PATCH",
    body: { caps: ceilings }
  })
const deploy = () =>
  fetch(`${service.url}/v1/projects/${service.project}/deployments`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${service.token}`,
      "content-type": "application/octet-stream"
    },
    body: "no bundle"
  })
const said = /^\w+: the cap of 0 is reached; the period ends \d{4}-\d\d-01T00:00:00\.000Z$/

beforeAll(async () => {
  await site.deploy({ "index.html": "here" }, { label })
})

describe("a wall", () => {
  it("[C-501] [C-502] of storage refuses uploads and saves by call; sites are served, and rooms are stored", async () => {
    const rooms = roomsOf(service)
    const room = await rooms.join("stores")
    await room.request("add", { by: 3 })
    await caps({ storageBytes: 0 })
    const begun = await site.begin({ "index.html": "there" }, { label })
    expect([begun.status, codeOf(begun)]).toEqual([402, "E_CAP_REACHED"])
    expect(messageOf(begun)).toMatch(said)
    const deployed = await deploy()
    expect([deployed.status, Object(await deployed.json()).error.code]).toEqual([
      402,
      "E_CAP_REACHED"
    ])
    expect((await page()).body.toString()).toBe("here")
    const before = (await rooms.ask("/stores/saves")).body
    await expect(room.request("save", {})).rejects.toThrow(/storageBytes: the cap of 0/)
    expect(await room.request("addDurably", { by: 1 })).toEqual({ value: 4 })
    expect((await rooms.ask("/stores/saves")).body).toEqual(before)
    await room.leave()
    const back = await rooms.join("new")
    await back.leave()
    await caps({ storageBytes: null })
    expect((await site.begin({ "index.html": "there" }, { label })).status).toBe(201)
    expect((await deploy()).status).toBe(400)
  })

  it("[D-45] of storage refuses content of an upload that has begun, and lets the upload end", async () => {
    const content = randomBytes(100)
    const { body } = await site.begin({ "index.html": "there", "a.bin": content }, { label })
    const upload = String(body["upload"])
    expect((await site.put(upload, "there")).status).toBe(200)
    await caps({ storageBytes: 0 })
    expect((await site.put(upload, content)).status).toBe(402)
    expect((await site.finish(upload)).status).toBe(409)
    await caps({ storageBytes: null })
    expect((await site.put(upload, content)).status).toBe(200)
    await caps({ storageBytes: 0 })
    expect((await site.finish(upload)).status).toBe(201)
    await caps({ storageBytes: null })
    expect((await page()).body.toString()).toBe("there")
  })

  it("[D-45] of data out answers the site with 402 until it lifts, and open endpoints as ever", async () => {
    await caps({ dataOutBytes: 0 })
    const refused = await page()
    expect([refused.status, refused.headers["cache-control"]]).toEqual([402, "no-store"])
    expect(refused.body.toString()).toContain("dataOutBytes: the cap of 0 is reached")
    const open = await call(service.url, `/v1/lobby?project=${service.project}`, {})
    expect(open.status).toBe(200)
    await caps({ dataOutBytes: null })
    expect((await page()).status).toBe(200)
  })

  it("[D-45] of room hours refuses new rooms and wakes; a room that is awake takes joins", async () => {
    const rooms = roomsOf(service)
    const first = await rooms.join("awake")
    await (await rooms.join("slept")).leave()
    await control.ask("clock/advance", { ms: 60_000 })
    await caps({ roomHours: 0 })
    for (const roomId of ["slept", "never"]) {
      await expect(rooms.join(roomId)).rejects.toMatchObject({
        code: "E_CAP_REACHED",
        closeCode: 4402,
        reason: expect.stringMatching(said)
      })
    }
    const second = await rooms.join("awake")
    expect(await second.request("add", { by: 1 })).toEqual({ value: 1 })
    await caps({ roomHours: null })
    await (await rooms.join("slept")).leave()
    await second.leave()
    await first.leave()
  })
})
