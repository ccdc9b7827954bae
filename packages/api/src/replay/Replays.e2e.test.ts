import { request } from "node:http"
import { zstdDecompressSync } from "node:zlib"

import { Client } from "@atrium/sdk/client"
import { ChunkReader } from "@atrium/wire/replay/ChunkReader"
import { unpackChunk } from "@atrium/wire/replay/UnpackChunk"
import { beforeAll, describe, expect, it } from "vitest"

import packageJson from "../../package.json" with { type: "json" }
import { as, ask, errorOf, mintKey } from "../testing/KeysUnderTest.ts"
import { recorded } from "../testing/rooms/recordedSchema.ts"
import { call, deploy } from "../testing/RunningService.ts"
import { sharedService } from "../testing/ServiceUnderTest.ts"

const service = sharedService()
let project = ""

const newProject = async (): Promise<string> => {
  const { url, token } = service
  const made = await call(url, "/v1/projects", { token, body: { name: "replays" } })
  const id = String(made.body["id"])
  expect((await deploy({ url, token, project: id }, ["rooms/recorded.ts"])).status).toBe(201)
  return id
}
beforeAll(async () => {
  project = await newProject()
})

const join = async (roomId: string) => {
  const { body } = await call(service.url, "/v1/identity", { body: { project } })
  const client = new Client(service.url, { project, token: String(body["token"]) })
  return client.joinOrCreate(recorded, { roomId })
}

interface Got {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: Buffer
}

/** As it comes: nothing is decompressed on its way. */
const get = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Got> =>
  new Promise((resolve, reject) => {
    const sent = request(`${service.url}${path}`, { headers }, (response) => {
      const pieces: Array<Buffer> = []
      response.on("data", (piece) => pieces.push(piece))
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(pieces)
        })
      )
    })
    sent.on("error", reject).end()
  })

/** A clip of a room in which something was shown to all, and something else told to one. */
const makeClip = async (roomId: string): Promise<string> => {
  const room = await join(roomId)
  await room.request("show", { text: "seen by everybody" })
  await room.request("tell", { text: "seen by one" })
  room.chat("said in the chat")
  const clip = Object(await room.request("clip", {}))
  expect(clip).toEqual({
    clipId: expect.stringMatching(/^rp_[A-Za-z0-9_-]{32}$/),
    url: `/v1/replays/${clip.clipId}`,
    expiresAt: expect.stringMatching(/Z$/)
  })
  await room.leave()
  return String(clip.clipId)
}

describe("a clip", () => {
  it("[C-821] [C-836] is watched by its id, in either encoding, and has what everybody saw", async () => {
    const clipId = await makeClip("watched")
    const path = `/v1/replays/${clipId}`
    const read = await get(path)
    expect(read.status).toBe(200)
    expect(read.headers["cache-control"]).toMatch(/^private, max-age=(?:[1-5]?\d|60)$/)
    const replay = JSON.parse(read.body.toString())
    expect(replay).toMatchObject({ project, roomId: "watched", type: "recorded", kind: "clip" })
    expect(replay.descriptor.type).toBe("recorded")
    expect(replay.chunks).toHaveLength(1)

    const packed = await get(`${path}/chunks/0`, { "accept-encoding": "gzip, zstd" })
    expect(packed.headers).toMatchObject({ "content-encoding": "zstd" })
    expect(packed.body.length).toBe(replay.chunks[0].bytes)
    const bare = await get(`${path}/chunks/0`, { "accept-encoding": "gzip, zstd;q=0" })
    expect(bare.headers["content-encoding"]).toBeUndefined()
    expect(zstdDecompressSync(packed.body)).toEqual(bare.body)
    expect(bare.headers["vary"]).toMatch(/accept-encoding/i)
    expect(bare.headers["vary"]).toMatch(/origin/i)

    const plain = Buffer.from(unpackChunk(bare.body))
    for (const text of ["seen by one", "said in the chat", "it_", "token"]) {
      expect(plain.includes(text)).toBe(false)
    }
    const reader = new ChunkReader(plain)
    const kinds: Array<string> = []
    for (let entry = reader.next(); entry !== null; entry = reader.next()) kinds.push(entry.kind)
    expect(kinds).toEqual(["message", "patch", "end"])
    expect(plain.includes("seen by everybody")).toBe(true)

    const [tag, otherTag] = [String(packed.headers["etag"]), String(bare.headers["etag"])]
    expect(tag).not.toBe(otherTag)
    const again = { "accept-encoding": "zstd", "if-none-match": tag }
    expect(await get(`${path}/chunks/0`, again)).toMatchObject({
      status: 304,
      body: Buffer.alloc(0)
    })
    expect((await get(`${path}/chunks/0`, { "if-none-match": tag })).status).toBe(200)
    for (const more of ["/chunks/1", "/chunks/00", "/chunks/x"]) {
      expect((await get(`${path}${more}`)).status).toBe(404)
    }
    expect(service.output()).not.toContain(clipId)
  })

  it("[C-838] has a page that no other page frames, no robot lists, and no log line names", async () => {
    const clipId = await makeClip("shown")
    const { status, headers, body } = await get(`/replay/${clipId}`)
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "referrer-policy": "no-referrer",
      "x-robots-tag": "noindex"
    })
    const files = `${service.url}/console/files/`
    const policy = String(headers["content-security-policy"]).split("; ")
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        `script-src ${files}`,
        `style-src ${files}`,
        "connect-src 'self'",
        "trusted-types 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'"
      ])
    )
    const html = body.toString()
    expect(html).toContain('<meta name="robots" content="noindex" />')
    expect(html).not.toContain(clipId)
    const [, script = ""] = /<script type="module" src="([^"]+)">/.exec(html) ?? []
    expect(script).toMatch(/^\/console\/files\/replay-/)
    expect((await get(script)).status).toBe(200)
    expect(service.output()).not.toContain(clipId)
  })

  it("[D-57] is listed and deleted by the keys of its project, and its link stops", async () => {
    const clipId = await makeClip("listed")
    const list = `/v1/projects/${project}/replays`
    const reader = await mintKey(service, ["rooms:read"], project)
    const rows = await ask(service, list, as(reader.secret))
    expect(JSON.parse(rows.text)[0]).toMatchObject({
      replayId: clipId,
      roomId: "listed",
      chunks: 1,
      running: false
    })
    const one = `${list}/${clipId}`
    expect((await ask(service, one, as(reader.secret, { method: "DELETE" }))).status).toBe(403)
    const writer = await mintKey(service, ["rooms:write"], project)
    expect((await ask(service, one, as(writer.secret, { method: "DELETE" }))).status).toBe(200)
    expect((await get(`/v1/replays/${clipId}`)).status).toBe(404)
    const gone = await ask(service, one, as(writer.secret, { method: "DELETE" }))
    expect([gone.status, errorOf(gone).code]).toEqual([404, "E_NOT_FOUND"])
    expect((await get("/v1/replays/none")).status).toBe(404)
  })

  it("[replay.clip.rate] is made once a second, of 10,000 requests too, and the room beside plays on", async () => {
    const [flooded, beside] = [await join("flooded"), await join("beside")]
    const begunMs = performance.now()
    const flood = flooded.request("flood", { count: 10_000 })
    expect(await beside.request("show", { text: "on" })).toEqual({ moves: 1 })
    const { made, cooled } = await flood
    const seconds = (performance.now() - begunMs) / 1000
    expect(made).toBeGreaterThan(0)
    expect(made).toBeLessThanOrEqual(1 + seconds)
    expect(made + cooled).toBe(10_000)
    expect(await flooded.request("show", { text: "on" })).toEqual({ moves: 1 })
    const { secret } = await mintKey(service, ["rooms:read"], project)
    const { text } = await ask(service, `/v1/projects/${project}/replays`, as(secret))
    const rows: ReadonlyArray<{ readonly roomId: string }> = JSON.parse(text)
    expect(rows.filter(({ roomId }) => roomId === "flooded")).toHaveLength(made)
    await Promise.all([flooded.leave(), beside.leave()])
  })

  it("[C-829] is made of an awake room for the account that has the project, and for no key", async () => {
    const room = await join("outside")
    const clips = `/v1/projects/${project}/rooms/outside/clips`
    const clip = (bearer: string, body: object, path = clips) =>
      ask(service, path, as(bearer, { method: "POST", body }))
    const made = await clip(service.token, { seconds: 5, ttl: "1d" })
    expect(made.status).toBe(201)
    expect(JSON.parse(made.text).service).toBe(packageJson.version)
    expect((await get(JSON.parse(made.text).url)).status).toBe(200)
    const soon = await clip(service.token, {})
    expect([soon.status, errorOf(soon).code]).toEqual([429, "E_CLIP_COOLDOWN"])
    expect(soon.headers.get("retry-after")).toBe("1")
    const long = await clip(service.token, { seconds: 31 })
    expect([long.status, errorOf(long).code]).toEqual([400, "E_BAD_REQUEST"])
    const { secret } = await mintKey(service, ["rooms:read", "rooms:write"], project)
    expect((await clip(secret, {})).status).toBe(401)
    await room.leave()
    const nowhere = await clip(service.token, {}, clips.replace("outside", "nowhere"))
    expect([nowhere.status, errorOf(nowhere).code]).toEqual([404, "E_ROOM_NOT_FOUND"])
  })

  it("[D-45] is sent to nobody at the data-out wall, and none is made at that of storage", async () => {
    const clipId = await makeClip("walled")
    const cap = (caps: object) =>
      ask(
        service,
        `/v1/projects/${project}/caps`,
        as(service.token, { method: "PATCH", body: { caps } })
      )
    expect((await cap({ dataOutBytes: 0 })).status).toBe(200)
    for (const path of [`/v1/replays/${clipId}`, `/v1/replays/${clipId}/chunks/0`]) {
      expect((await get(path)).status).toBe(402)
    }
    await cap({ dataOutBytes: null, storageBytes: 0 })
    expect((await get(`/v1/replays/${clipId}`)).status).toBe(200)
    const room = await join("full")
    await expect(room.request("clip", {})).rejects.toMatchObject({ code: "E_CAP_REACHED" })
    await cap({ storageBytes: null })
    await room.leave()
  })
})
