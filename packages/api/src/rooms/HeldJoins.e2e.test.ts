import { until } from "@atrium/domain/testing/Until"
import { ClientFrame } from "@atrium/wire/frames/Frame"
import { expect, it } from "vitest"

import { objectKeys } from "../testing/ObjectWrites.ts"
import { RawClient } from "../testing/RawClient.ts"
import { probe } from "../testing/rooms/probeSchema.ts"
import { roomsOf } from "../testing/RoomsUnderTest.ts"
import { call, deployAnew } from "../testing/RunningService.ts"
import { serviceUnderTest } from "../testing/ServiceUnderTest.ts"

const service = serviceUnderTest()

const statusOf = async (roomId: string): Promise<unknown> => roomsOf(service).status(roomId)
const isNone = async (roomId: string): Promise<void> => {
  await until(
    `${roomId} is none`,
    async () => (await roomsOf(service).ask(`/${roomId}`)).status === 404
  )
  expect(Object.values((await roomsOf(service).ask("")).body)).toEqual([])
  expect(await objectKeys(service.databaseUrl, `/${roomId}/`)).toEqual([])
}

/** A client of a new room whose `onAuth` neither takes nor refuses it. */
const held = async (roomId: string): Promise<RawClient> => {
  const { body } = await call(service.url, "/v1/identity", { body: { project: service.project } })
  const base = `${service.url.replace("http", "ws")}/v1/rooms/${service.project}`
  const client = new RawClient(`${base}/${roomId}`)
  const [token, type, options] = [String(body["token"]), "probe", "hold me"]
  await client.send([ClientFrame.hello, token, type, null, null, options])
  await until(`${roomId} is up`, async () => (await statusOf(roomId)) === "awake")
  return client
}

it("[C-224] a new room that let nobody in is gone after a redeploy, a shutdown and the loss of its runner", async () => {
  const redeployed = await held("redeployed")
  expect((await deployAnew(service, ["rooms/probe.ts", "rooms/single.ts"])).status).toBe(201)
  expect(await redeployed.closed).toMatchObject({ code: 1012 })
  await isNone("redeployed")

  const shutDown = await held("shut-down")
  expect(await service.stop()).toBe(0)
  expect(await shutDown.closed).toMatchObject({ code: 1012 })
  await service.start()
  expect((await roomsOf(service).ask("/shut-down")).status).toBe(404)
  await isNone("shut-down")

  await held("lost")
  await service.stop("SIGKILL")
  await service.start()
  await isNone("lost")
  // The id is free: a join that names no type finds no room, one that names a type makes it.
  const player = await roomsOf(service).player()
  await expect(player.joinById("lost", probe)).rejects.toMatchObject({ code: "E_ROOM_NOT_FOUND" })
  const room = await roomsOf(service).join("lost")
  expect(room.state.counter.starts).toBe(1)
  await room.leave()
})
