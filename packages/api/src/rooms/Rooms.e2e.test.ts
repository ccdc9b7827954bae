import { until } from "@atrium/domain/testing/Until"
import { readSave } from "@atrium/sdk/saves"
import { expect, it } from "vitest"

import { probe } from "../testing/rooms/probeSchema.ts"
import { codeOf, roomsOf } from "../testing/RoomsUnderTest.ts"
import { sharedService } from "../testing/ServiceUnderTest.ts"

const service = sharedService()
const rooms = () => roomsOf(service)

interface SaveRow {
  readonly saveId: string
  readonly bytes: number
}

const savesOf = async (roomId: string): Promise<ReadonlyArray<SaveRow>> => {
  const response = await fetch(
    `${service.url}/v1/projects/${service.project}/rooms/${roomId}/saves`,
    { headers: { authorization: `Bearer ${service.token}` } }
  )
  expect(response.status).toBe(200)
  return response.json()
}

const bytesOf = (roomId: string, saveId: string, headers: Record<string, string> = {}) =>
  fetch(`${service.url}/v1/projects/${service.project}/rooms/${roomId}/saves/${saveId}/bytes`, {
    headers: { authorization: `Bearer ${service.token}`, ...headers }
  })

it("[route.saves.bytes] [saves.bytes-raw] the bytes of a save decode, carry a strong etag, and are a file to every browser", async () => {
  const room = await rooms().join("saved")
  await room.request("add", { by: 5 })
  await room.request("save", {})
  await room.request("add", { by: 6 })
  await room.leave()
  await until("it sleeps", async () => (await rooms().status("saved")) === "hibernated")
  const [newest, oldest] = await savesOf("saved")
  if (newest === undefined || oldest === undefined) throw new Error("no saves")
  const answer = await bytesOf("saved", newest.saveId)
  expect(answer.status).toBe(200)
  expect(answer.headers.get("content-type")).toBe("application/octet-stream")
  // Bytes of a tenant, on the origin of the console.
  expect(answer.headers.get("content-disposition")).toBe(
    `attachment; filename="${newest.saveId}.save"`
  )
  expect(answer.headers.get("x-content-type-options")).toBe("nosniff")
  const etag = answer.headers.get("etag") ?? ""
  expect(etag).toMatch(/^"[^"]+"$/)
  const bytes = new Uint8Array(await answer.arrayBuffer())
  expect(bytes.length).toBe(newest.bytes)
  expect(readSave(probe, bytes).state.counter.value).toBe(11)
  const known = await bytesOf("saved", newest.saveId, { "if-none-match": `"x", ${etag}` })
  expect([known.status, await known.text()]).toEqual([304, ""])
  const other = await bytesOf("saved", oldest.saveId, { "if-none-match": etag })
  expect([other.status, other.headers.get("etag") === etag]).toEqual([200, false])
  const older = readSave(probe, new Uint8Array(await other.arrayBuffer()))
  expect(older.state.counter.value).toBe(5)
})

it("[saves.identified-by-saveId] an id that is no id of a save is 404 on both routes", async () => {
  for (const saveId of ["sv_", "..", "%2e%2e%2falarm"]) {
    const bytes = await rooms().ask(`/saved/saves/${saveId}/bytes`)
    expect([saveId, bytes.status]).toEqual([saveId, 404])
    const restore = await rooms().ask("/saved/restore", { body: { saveId } })
    expect([restore.status, codeOf(restore)]).toEqual([404, "E_SAVE_NOT_FOUND"])
  }
})
