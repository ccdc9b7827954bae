import { get } from "node:http"

import { until } from "@atrium/domain/testing/Until"
import { readSave } from "@atrium/sdk/saves"
import { expect, it } from "vitest"

import { mintKey } from "../testing/KeysUnderTest.ts"
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

/** An answer to the byte, without what is new in each: its moment and the id of its request. */
const rawRead = (roomId: string, authorization: string): Promise<ReadonlyArray<string>> =>
  new Promise((resolve, reject) => {
    const url = `${service.url}/v1/projects/${service.project}/rooms/${roomId}`
    get(url, { agent: false, headers: { authorization } }, (answer) => {
      const { rawHeaders, statusCode } = answer
      const head = rawHeaders.flatMap((name, at) =>
        at % 2 === 1 || /^(?:date|x-request-id)$/i.test(name)
          ? []
          : [name, rawHeaders[at + 1] ?? ""]
      )
      const chunks: Array<Buffer> = []
      answer
        .on("data", (chunk: Buffer) => chunks.push(chunk))
        .on("end", () => resolve([String(statusCode), ...head, String(Buffer.concat(chunks))]))
    }).on("error", reject)
  })

it("[C-926] the quick read of a room with a key is the answer of the typed API to the byte", async () => {
  const { secret } = await mintKey(service, ["rooms:read"])
  // The first use of a key is noted by the typed API, and so is every read of a form that is not the usual one.
  const typed = (roomId: string) => rawRead(roomId, `Bearer  ${secret}`)
  const quick = (roomId: string) => rawRead(roomId, `Bearer ${secret}`)
  const room = await rooms().join("quick.awake")
  await rooms().asleep("quick.asleep", 3)
  for (const roomId of ["quick.awake", "quick.asleep", "quick.nobody"]) {
    // An awake room is reported now and then, also between two reads.
    await until(`${roomId} is read twice between two reports`, async () => {
      const before = await typed(roomId)
      const read = await quick(roomId)
      const after = await typed(roomId)
      if (before.at(-1) !== after.at(-1)) return false
      expect(read).toEqual(before)
      expect(read[0]).toBe(roomId === "quick.nobody" ? "404" : "200")
      return true
    })
  }
  await room.leave()
})
