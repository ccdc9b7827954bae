import { until } from "@atrium/domain/testing/Until"
import { Client, type ClientRoom, unknownChoice } from "@atrium/sdk/client"
import { beforeAll, describe, expect, it } from "vitest"

import { moreSides, sides } from "../testing/rooms/sidesSchema.ts"
import { call, deploy } from "../testing/RunningService.ts"
import { sharedService } from "../testing/ServiceUnderTest.ts"

const service = sharedService()
let project: string
let token: string

const target = () => ({ ...service, project })
const ask = (path: string, body?: unknown) =>
  call(service.url, `/v1/projects/${project}${path}`, { token: service.token, body })

/** The same player in every client. */
const player = () => new Client(service.url, { project, token })

type Room = Pick<ClientRoom<typeof sides>, "request" | "leave" | "version">

/** Waits until a client that stays in its room has been led to a version. */
const onVersion = (room: Room, version: number) =>
  until(`version ${version}`, async () => {
    const told = await room.request("look", {}).catch(() => null)
    return told?.version === version ? told : null
  })

beforeAll(async () => {
  const made = await call(service.url, "/v1/projects", {
    token: service.token,
    body: { name: "sides" }
  })
  project = String(made.body["id"])
  const identity = await call(service.url, "/v1/identity", { body: { project } })
  token = String(identity.body["token"])
})

describe("a version that takes more, and the way back from it", () => {
  it("[C-56] [C-680] [C-685] moves the rooms, serves older clients, and lets back what holds nothing new", async () => {
    expect(await deploy(target(), ["rooms/sides.ts"])).toMatchObject({ body: { version: 1 } })
    const plain = await player().joinOrCreate(sides, { roomId: "plain" })
    const fresh = await player().joinOrCreate(sides, { roomId: "fresh" })
    await plain.request("paint", { side: "blue", best: 7 })
    await fresh.request("paint", { side: "blue", best: 8 })

    // The players stay where they are, with the client of the older version.
    expect(await deploy(target(), ["rooms/moreSides.ts"])).toMatchObject({ body: { version: 2 } })
    for (const room of [plain, fresh]) {
      expect(await onVersion(room, 2)).toEqual({ version: 2, best: 8 })
      expect(room.state.wall).toMatchObject({ side: "blue", note: "", coats: 1 })
    }
    const heard = new Promise<object>((resolve) => fresh.onMessage("painted", resolve))
    await fresh.request("paint", { side: "green", best: 300 })
    expect(unknownChoice(await heard, "side")).toBe(2)
    expect([fresh.state.wall.side, unknownChoice(fresh.state.wall, "side")]).toEqual([undefined, 2])
    const newer = await player().joinById("fresh", moreSides)
    expect(newer.state.wall.side).toBe("green")
    expect(newer.stateHash()).toBe(fresh.stateHash())

    // The room with the new choice stays on the version that knows it; the other one goes back.
    expect(await ask("/rollback", {})).toMatchObject({ status: 201, body: { version: 3 } })
    expect(await onVersion(plain, 3)).toMatchObject({ version: 3 })
    expect(plain.state.wall).toMatchObject({ side: "blue", coats: 1 })
    const staying = await until("the log says who stays", async () => {
      const { body } = await ask("/logs?room=fresh")
      const lines = Object.values(body).map((row) => String(Object(row)["line"]))
      return lines.find((line) => line.startsWith("the room stays on version 2"))
    })
    expect(staying).toContain("version 3 does not hold its state")
    expect(await onVersion(newer, 2)).toEqual({ version: 2, best: 300 })
    expect([newer.state.wall.side, newer.version]).toEqual(["green", 2])
    // A client of the newer version plays on in the room of the older one.
    const back = await player().joinById("plain", moreSides)
    expect(back.state.wall.side).toBe("blue")
    await back.leave()

    // Without anything new it goes back at its next wake. The player's record does not lose a thing.
    await newer.request("paint", { side: "red", best: 301 })
    await Promise.all([plain.leave(), fresh.leave(), newer.leave()])
    await until("both sleep", async () => {
      const { body } = await ask("/rooms?active=true")
      return Object.values(body).length === 0
    })
    const woken = await player().joinById("fresh", sides)
    expect(woken.state.wall).toMatchObject({ side: "red", coats: 3 })
    expect(await woken.request("look", {})).toEqual({ version: 3, best: 0 })
    expect(await deploy(target(), ["rooms/moreSides.ts"])).toMatchObject({ body: { version: 4 } })
    expect(await onVersion(woken, 4)).toEqual({ version: 4, best: 301 })
    await woken.leave()
  })
})
