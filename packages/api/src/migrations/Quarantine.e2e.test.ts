import { until } from "@atrium/domain/testing/Until"
import { Client } from "@atrium/sdk/client"
import { readSave } from "@atrium/sdk/saves"
import { afterAll, beforeAll, expect, it } from "vitest"

import {
  changingGame,
  changingProject,
  type DuelName,
  duels,
  type MigrationCode
} from "../testing/ChangingGame.ts"
import { uploadBundle } from "../testing/RunningService.ts"
import { sharedService } from "../testing/ServiceUnderTest.ts"

const service = sharedService()
let game: Awaited<ReturnType<typeof changingGame>>

beforeAll(async () => {
  game = await changingGame()
})
afterAll(() => game.remove())

/** Health by shares; `head` runs before each room. */
const shares = (head: string): MigrationCode => ({
  from: "points",
  to: "shares",
  room: `
    migrate: (old) => {
      ${head}
      return {
        match: old.match,
        fighters: old.fighters.map(({ hp, ...fighter }) => ({ ...fighter, health: hp / 100 })),
        graves: []
      }
    }`,
  player: "migrate: ({ wins }) => ({ score: wins })"
})
const fallen = `
  const dead = old.fighters.find(({ hp }) => hp === 0)
  if (dead !== undefined) throw new Error(dead.name + " has fallen")`

it("[C-990] [C-991] [C-993] a deploy with a quarantine closes the rooms that fail, and a later one opens them", async () => {
  const project = await changingProject(game, service)
  const client = () => new Client(service.url, { project: project.project })
  expect(await project.deploy("points")).toMatchObject({ status: 201 })

  const room = async (roomId: string) => (await project.ask(`/rooms/${roomId}`)).body
  const asleep = (roomId: string) =>
    until(`${roomId} sleeps`, async () => (await room(roomId))["status"] === "hibernated")
  const play = async (name: DuelName, roomId: string, change: object) => {
    const joined = await client().joinOrCreate(duels[name], { roomId })
    await joined.request("play", change)
    return joined
  }
  for (const [roomId, hp] of Object.entries({ good: 50, bad: 0, worse: 9, late: 7 })) {
    await (await play("points", roomId, { add: [{ name: roomId, hp }] })).leave()
    await asleep(roomId)
  }
  game.migrations.set("0002-shares.ts", shares(fallen))
  const query = "?allowBreaking=true"
  expect(await project.deploy("shares", "?quarantine=true")).toMatchObject({
    status: 400,
    body: { error: { message: "quarantine: goes with allowBreaking=true alone" } }
  })
  expect(await project.deploy("shares", query)).toMatchObject({
    body: { error: { code: "E_REHEARSAL_FAILED", roomId: "bad", rooms: 1 } }
  })

  // One room is up with a client, and changes after the rehearsal: what it is then, its hand-over finds out.
  const bundle = await game.bundle("shares")
  await project.rehearse(bundle)
  const changed = await play("points", "late", { add: [{ name: "lea", hp: 0 }] })
  const target = { url: service.url, token: service.token, project: project.project }
  const ended = new Promise<readonly [number, string]>((resolve) => {
    changed.onLeave((code, reason) => resolve([code, reason]))
  })
  expect(await uploadBundle(target, bundle, `${query}&quarantine=true`)).toMatchObject({
    status: 201,
    body: { version: 2, quarantine: true }
  })
  expect(await room("bad")).toMatchObject({ status: "closed", quarantined: 2, deletesAt: null })
  expect(await ended).toEqual([1011, "E_ROOM_CRASHED"])
  const message = "the room is in quarantine: version 2 does not lead its state on"
  for (const roomId of ["bad", "late"]) {
    await expect(client().joinById(roomId, duels.shares)).rejects.toMatchObject({
      code: "E_ROOM_CRASHED",
      closeCode: 1011,
      message: expect.stringContaining(message)
    })
  }
  const quarantined = async () => {
    const { body } = await project.ask("/rooms")
    const rows: ReadonlyArray<{ roomId: string; quarantined?: number }> = Object(body)
    return rows.filter((row) => row.quarantined !== undefined).map(({ roomId }) => roomId)
  }
  expect((await quarantined()).toSorted()).toEqual(["bad", "late"])
  const woken = await client().joinById("good", duels.shares)
  expect(await woken.request("read", {})).toMatchObject({ version: 2 })
  await woken.leave()

  // Their saves can be downloaded as before, and read with the schema of their version.
  const saves = await project.ask("/rooms/late/saves")
  const [save] = Object.values(Object(saves.body))
  const { version, saveId } = Object(save)
  expect(version).toBe(1)
  const path = `/v1/projects/${project.project}/rooms/late/saves/${saveId}/bytes`
  const bytes = await fetch(`${service.url}${path}`, {
    headers: { authorization: `Bearer ${service.token}` }
  })
  const { state } = readSave(duels.points, new Uint8Array(await bytes.arrayBuffer()))
  expect(JSON.parse(JSON.stringify(state))).toMatchObject({
    fighters: [{ name: "late" }, { name: "lea", hp: 0 }]
  })

  // A version that changes nothing of it leaves them there; one that leads them on opens them, also before a join.
  expect(await project.deploy("shares", `${query}&quarantine=true`)).toMatchObject({ status: 201 })
  expect(await room("bad")).toMatchObject({ status: "closed", quarantined: 3 })
  game.migrations.set("0002-shares.ts", shares(""))
  expect(await project.deploy("shares", query)).toMatchObject({ body: { version: 4 } })
  const opened = await client().joinById("late", duels.shares)
  expect(await opened.request("read", {})).toMatchObject({
    version: 4,
    state: {
      fighters: [
        { id: 1, name: "late", health: Math.fround(0.07) },
        { id: 2, name: "lea", health: 0 }
      ]
    }
  })
  await opened.leave()
  await until("the rooms are open", async () => (await quarantined()).length === 0)
  await asleep("bad")
})
