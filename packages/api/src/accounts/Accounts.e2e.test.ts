import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { ServerFrame } from "@atrium/wire/frames/Frame"
import { SignJWT } from "jose"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

import { type JwksStub, startJwksStub, stubCertificate } from "../testing/JwksStub.ts"
import { RawClient } from "../testing/RawClient.ts"
import { call } from "../testing/RunningService.ts"
import { serviceUnderTest } from "../testing/ServiceUnderTest.ts"

const folder = mkdtempSync(join(tmpdir(), "atrium-accounts-"))
const authority = join(folder, "authority.pem")
writeFileSync(authority, stubCertificate)

const service = serviceUnderTest({
  env: {
    ATRIUM_EXEMPT_ADDRESSES: "127.0.0.1",
    ATRIUM_JWKS_HOSTS: "127.0.0.1",
    NODE_EXTRA_CA_CERTS: authority
  }
})
let stub: JwksStub
beforeAll(async () => {
  stub = await startJwksStub()
})
afterAll(async () => {
  await stub.close()
  rmSync(folder, { recursive: true })
})

const { token: _token, ...noToken } = { token: "" }
const post = (path: string, body: object, token?: string) =>
  call(service.url, path, {
    body: { project: service.project, ...body },
    ...(token === undefined ? noToken : { token })
  })
const ask = (route: string, token: string, query = "") => {
  const [method = "", path = ""] = route.split(" ")
  return call(service.url, `${path}?project=${service.project}${query}`, { method, token })
}

interface Identity {
  readonly playerId: string
  readonly token: string
}
const identityIn = ({ body }: { readonly body: Record<string, unknown> }): Identity => ({
  playerId: String(body["playerId"]),
  token: String(body["token"])
})
const newIdentity = async (): Promise<Identity> => identityIn(await post("/v1/identity", {}))

/** Makes an identity a device of another's account. */
const link = async (from: Identity, to: Identity, label?: string) => {
  const { status, body } = await post("/v1/account/link-code", {}, from.token)
  expect(status).toBe(201)
  const code = String(body["code"])
  expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{8}$/)
  return post("/v1/account/link", { code, ...(label === undefined ? {} : { label }) }, to.token)
}

/** Joins a room; the welcome or the refusal. */
const joined = async (token: string, room: string) => {
  const client = new RawClient(
    `${service.url.replace("http", "ws")}/v1/rooms/${service.project}/${room}`
  )
  return { client, frame: await client.hello(token, "probe") }
}
const playerOf = (frame: ReadonlyArray<unknown>): unknown =>
  frame[0] === ServerFrame.welcome ? frame[9] : frame[1]
const codeOf = ({ status, body }: { readonly status: number; readonly body: object }) => [
  status,
  Object(Object(body).error).code
]

describe("an account", () => {
  it("[D-28] two devices of an account are one player, also while both play", async () => {
    const [ann, phone] = [await newIdentity(), await newIdentity()]
    const before = await joined(phone.token, "both")
    expect(playerOf(before.frame)).toBe(phone.playerId)
    before.client.leave()
    const linked = await link(ann, phone, "phone")
    expect(linked).toMatchObject({
      status: 200,
      body: { accountId: ann.playerId, devices: [{ current: false }, { label: "phone" }] }
    })
    const both = await Promise.all([joined(ann.token, "both"), joined(phone.token, "both")])
    expect(both.map(({ frame }) => playerOf(frame))).toEqual([ann.playerId, ann.playerId])
    expect(both[0].frame[1]).not.toBe(both[1].frame[1])
    for (const { client } of both) client.leave()
  })

  it("[C-544] a revoked device is out of its room and of every route at once; others stay", async () => {
    const [ann, phone] = [await newIdentity(), await newIdentity()]
    const { body } = await link(ann, phone, "phone")
    const devices: ReadonlyArray<Record<string, unknown>> = Object(body["devices"])
    const deviceId = String(devices.find(({ label }) => label === "phone")?.["deviceId"])
    const [kept, lost] = [await joined(ann.token, "revoked"), await joined(phone.token, "revoked")]
    const revoked = await ask(`DELETE /v1/account/devices/${deviceId}`, ann.token)
    expect(revoked).toMatchObject({ status: 200, body: { deviceId, label: "phone" } })
    expect((await lost.client.closed).code).toBe(4401)
    expect(playerOf((await joined(phone.token, "revoked")).frame)).toBe("E_UNAUTHENTICATED")
    expect(codeOf(await ask("GET /v1/account", phone.token))).toEqual([401, "E_UNAUTHENTICATED"])
    expect((await ask("GET /v1/account", ann.token)).body["devices"]).toHaveLength(1)
    await kept.client.send([5, 1])
    expect((await kept.client.next(([type]) => type === ServerFrame.pong))[1]).toBe(1)
    kept.client.leave()
  })

  it("[C-543] a device with a credential is the same player on another day", async () => {
    const ann = await newIdentity()
    const { status, body } = await post("/v1/account/devices", { label: "browser" }, ann.token)
    expect(status).toBe(201)
    const device = String(body["credential"])
    expect(device).toMatch(/^cp_[A-Za-z0-9_-]{43}$/)
    const again = await post("/v1/identity", { device })
    expect(again).toMatchObject({ status: 201, body: { playerId: ann.playerId } })
    expect(playerOf((await joined(identityIn(again).token, "again")).frame)).toBe(ann.playerId)
    for (const wrong of ["", "cp_", device.replace("cp_", "rk_"), `cp_${"x".repeat(43)}`]) {
      expect(codeOf(await post("/v1/identity", { device: wrong }))).toEqual([
        401,
        "E_UNAUTHENTICATED"
      ])
    }
  })

  it("[D-28] a deletion leaves nothing but scores, which nobody has; the export shows it before", async () => {
    const [ann, phone] = [await newIdentity(), await newIdentity()]
    await link(ann, phone)
    const room = await joined(phone.token, "leaving")
    const whole = await ask("GET /v1/account/export", ann.token)
    expect(whole).toMatchObject({
      status: 200,
      body: { accountId: ann.playerId, rows: { devices: [{}, {}], linkCodes: [] } }
    })
    expect(whole.body["next"]).not.toBeNull()
    const next = `&after=${String(whole.body["next"])}`
    expect((await ask("GET /v1/account/export", ann.token, next)).body["next"]).toBeNull()
    for (const wrong of ["x", "x.y", `${String(whole.body["next"])}A`]) {
      const answer = await ask("GET /v1/account/export", ann.token, `&after=${wrong}`)
      expect(codeOf(answer)).toEqual([400, "E_BAD_REQUEST"])
    }
    const deleted = await ask("DELETE /v1/account", phone.token)
    expect(deleted).toMatchObject({ status: 200, body: { accountId: ann.playerId, deleted: true } })
    expect(deleted.body["scoresKeptAs"]).toMatch(/^pl_[0-9a-f]{16}$/)
    expect((await room.client.closed).code).toBe(4401)
    for (const { token } of [ann, phone]) {
      expect(codeOf(await ask("GET /v1/account", token))).toEqual([401, "E_UNAUTHENTICATED"])
      expect(playerOf((await joined(token, "leaving")).frame)).toBe("E_UNAUTHENTICATED")
    }
  })

  it("[C-807] is read, exported and deleted by the owner of the project, and by nobody else", async () => {
    const [ann, phone] = [await newIdentity(), await newIdentity()]
    await link(ann, phone, "phone")
    const { url, token, project } = service
    const owned = (id: string, end = "", more: object = {}) =>
      call(url, `/v1/projects/${project}/players/${encodeURIComponent(id)}${end}`, {
        token,
        ...more
      })
    expect(await owned(ann.playerId)).toMatchObject({
      status: 200,
      body: {
        playerId: ann.playerId,
        accountId: ann.playerId,
        devices: [{ identityId: ann.playerId, label: null }, { label: "phone" }],
        ratings: []
      }
    })
    expect((await owned(phone.playerId)).body).toMatchObject({
      accountId: ann.playerId,
      devices: []
    })
    const first = await owned(ann.playerId, "/export")
    expect(first.body).toMatchObject({ playerId: ann.playerId, rows: { devices: [{}, {}] } })
    const next = await owned(ann.playerId, `/export?after=${String(first.body["next"])}`)
    expect(next.body).toMatchObject({ playerId: phone.playerId, next: null })
    const room = await joined(phone.token, "owned")
    const deleted = await owned(ann.playerId, "", { method: "DELETE" })
    expect(deleted).toMatchObject({ status: 200, body: { accountId: ann.playerId, deleted: true } })
    expect((await room.client.closed).code).toBe(4401)
    expect(codeOf(await ask("GET /v1/account", phone.token))).toEqual([401, "E_UNAUTHENTICATED"])
    for (const id of ["x".repeat(257), "a\0b"]) {
      for (const [end, method] of [
        ["", "GET"],
        ["/export", "GET"],
        ["", "DELETE"]
      ] as const) {
        expect(codeOf(await owned(id, end, { method }))).toEqual([400, "E_BAD_REQUEST"])
      }
    }
    expect(codeOf(await owned("nobody", "/export?after=x.y"))).toEqual([400, "E_BAD_REQUEST"])
    const foreign = `/v1/projects/p_00000000000000ee/players/nobody`
    for (const [path, by, code] of [
      [foreign, token, [404, "E_NOT_FOUND"]],
      [`/v1/projects/${project}/players/nobody`, ann.token, [401, "E_UNAUTHENTICATED"]]
    ] as const) {
      for (const method of ["GET", "DELETE"]) {
        expect(codeOf(await call(url, path, { token: by, method }))).toEqual(code)
      }
    }
  })

  it("[auth.key.cannot.player-data] is nobody's but its player's", async () => {
    const ann = await newIdentity()
    const { body } = await call(service.url, "/v1/projects", {
      token: service.token,
      body: { name: "another" }
    })
    const foreign = identityIn(
      await call(service.url, "/v1/identity", { body: { project: body["id"] } })
    )
    for (const token of [foreign.token, service.token, "", "rk_x", `${ann.token}x`]) {
      expect(codeOf(await ask("GET /v1/account", token))).toEqual([401, "E_UNAUTHENTICATED"])
      expect(codeOf(await ask("DELETE /v1/account", token))).toEqual([401, "E_UNAUTHENTICATED"])
    }
    const unknown = `/v1/account?project=p_0000000000000000`
    const answer = await call(service.url, unknown, { token: ann.token })
    expect(codeOf(answer)).toEqual([404, "E_NOT_FOUND"])
    for (const id of ["x", "%00", "dev_0000000000000000"]) {
      const revoked = await ask(`DELETE /v1/account/devices/${id}`, ann.token)
      expect(codeOf(revoked)).toEqual([404, "E_DEVICE_NOT_FOUND"])
    }
    for (const code of ["00000000", "x", "", "I".repeat(8), "0".repeat(10_000)]) {
      expect(codeOf(await post("/v1/account/link", { code }, ann.token))).toEqual([
        404,
        "E_LINK_CODE"
      ])
    }
  })
})

describe("an assertion", () => {
  const assert = (assertion: string) => post("/v1/identity/assertion", { assertion })
  const [issuer, audience] = ["https://login.school.example", "our-game"]

  it("[D-27] [D-25] of a provider is one player, and joins beside a JWT secret", async () => {
    const path = `/v1/projects/${service.project}/identity`
    const providers = [{ issuer, audience, jwksUrl: stub.jwksUrl }]
    const sign = (sub: string) => stub.sign("RS256", { iss: issuer, aud: audience, sub })
    expect(codeOf(await assert(await sign("ann")))).toEqual([401, "E_ASSERTION_INVALID"])
    const { token } = service
    const set = await call(service.url, path, { token, method: "PUT", body: { providers } })
    expect(set).toEqual({ status: 200, body: { providers } })
    expect(await call(service.url, path, { token })).toEqual(set)
    const ann = identityIn(await assert(await sign("ann")))
    expect(ann.playerId).toMatch(/^pl_[0-9a-f]{16}$/)
    expect(identityIn(await assert(await sign("ann"))).playerId).toBe(ann.playerId)
    expect(identityIn(await assert(await sign("bea"))).playerId).not.toBe(ann.playerId)
    const bare = await newIdentity()
    const secret = await call(service.url, `/v1/projects/${service.project}/jwt-secret`, {
      token,
      body: {}
    })
    const own = await new SignJWT({ iss: service.project, aud: "identity", sub: "ann" })
      .setProtectedHeader({ alg: "HS256" })
      .setExpirationTime("1m")
      .sign(new TextEncoder().encode(String(secret.body["secret"])))
    const byGame = identityIn(await assert(own))
    expect(byGame.playerId).not.toBe(ann.playerId)
    const frames = await Promise.all(
      [ann, byGame, bare].map(async (each) => playerOf((await joined(each.token, "school")).frame))
    )
    expect(frames).toEqual([ann.playerId, byGame.playerId, "E_UNAUTHENTICATED"])
    // Who deletes that player is a new one at the next login.
    expect((await ask("DELETE /v1/account", ann.token)).status).toBe(200)
    const next = identityIn(await assert(await sign("ann")))
    expect(next.playerId).not.toBe(ann.playerId)
    expect(playerOf((await joined(next.token, "school")).frame)).toBe(next.playerId)
  })

  it("[limits.assertionBytes] of 64 KiB proves nobody, and is not parsed", async () => {
    expect(codeOf(await assert("x".repeat(65_536)))).toEqual([401, "E_ASSERTION_INVALID"])
  })
})
