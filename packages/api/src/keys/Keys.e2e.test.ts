import { createHash } from "node:crypto"

import { KeyLimits } from "@atrium/domain/keys/KeyLimits"
import { describe, expect, it } from "vitest"

import { as, ask, errorOf, keysOf, type MintedKey, mintKey } from "../testing/KeysUnderTest.ts"
import { onDatabase } from "../testing/onDatabase.ts"
import { until } from "../testing/RunningService.ts"
import { serviceUnderTest } from "../testing/ServiceUnderTest.ts"

const service = serviceUnderTest()

const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const keys = (path = "", project = service.project): string => `/v1/projects/${project}/keys${path}`
const mint = (body: unknown) => ask(service, keys(), as(service.token, { method: "POST", body }))
const revoke = (keyId: string, bearer = service.token) =>
  ask(service, keys(`/${keyId}`), as(bearer, { method: "DELETE" }))
const listRooms = (secret: string, project = service.project) =>
  ask(service, `/v1/projects/${project}/rooms`, as(secret))
const rowOf = async ({ keyId }: Pick<MintedKey, "keyId">) =>
  (await keysOf(service)).find((row) => row["keyId"] === keyId)
const otherProject = async (): Promise<string> => {
  const made = await ask(
    service,
    "/v1/projects",
    as(service.token, { method: "POST", body: { name: "other" } })
  )
  return JSON.parse(made.text).id
}

describe("POST keys", () => {
  it("[route.keys.mint] [keys.mint.response-fields] [keys.secret.form] [keys.id.form] answers with the secret and the row", async () => {
    const answer = await mint({ scopes: ["rooms:write", "rooms:read"], label: "deploy bot" })
    expect(answer.status).toBe(201)
    const minted = JSON.parse(answer.text)
    expect(minted).toEqual({
      keyId: expect.stringMatching(/^key_[0-9a-f]{16}$/),
      secret: expect.stringMatching(/^rk_[A-Za-z0-9_-]{43}$/),
      label: "deploy bot",
      scopes: ["rooms:write", "rooms:read"],
      createdAt: expect.stringMatching(iso),
      lastUsed: null,
      revokedAt: null
    })
    const { secret: _, ...row } = minted
    expect(await rowOf(minted)).toEqual(row)
  })

  it("[state.key.post-active] [auth.bearer-api-key] a new key works at once, whatever the scheme's case is", async () => {
    const { secret } = await mintKey(service, ["rooms:read"])
    expect((await listRooms(secret)).status).toBe(200)
    for (const scheme of ["bearer", "BEARER"]) {
      const headers = { authorization: `${scheme} ${secret}` }
      expect(
        (await ask(service, `/v1/projects/${service.project}/rooms`, { headers })).status
      ).toBe(200)
    }
  })

  it.each([[["rooms:read"]], [["rooms:write"]], [["rooms:read", "rooms:write"]]])(
    "[keys.mint.scopes] %j is taken",
    async (scopes) => {
      const answer = await mint({ scopes, label: "x" })
      expect([answer.status, JSON.parse(answer.text).scopes]).toEqual([201, scopes])
    }
  )

  it.each([
    ["an unknown one", ["rooms:delete"], "scopes"],
    ["one that is not written so", ["Rooms:Read"], "scopes"],
    ["none", [], "scopes"],
    ["one twice", ["rooms:read", "rooms:read"], "scopes"],
    ["a text", "rooms:read", "scopes"],
    ["null", null, "scopes"],
    ["a number among them", ["rooms:read", 7], "scopes"]
  ])("[keys.mint.scopes] %s is refused by name", async (_what, scopes, name) => {
    const before = await keysOf(service)
    const answer = await mint({ scopes, label: "x" })
    expect([answer.status, errorOf(answer).code]).toEqual([400, "E_BAD_REQUEST"])
    expect(errorOf(answer).message).toContain(name)
    expect(await keysOf(service)).toEqual(before)
  })

  it.each([
    "x",
    " ",
    "x".repeat(KeyLimits.keyLabelChars.max),
    "😀".repeat(KeyLimits.keyLabelChars.max)
  ])(
    "[keys.mint.label] [keys.row.label] [limits.keyLabelChars] %j is kept as it is",
    async (label) => {
      const answer = await mint({ scopes: ["rooms:read"], label })
      expect(answer.status).toBe(201)
      expect((await rowOf(JSON.parse(answer.text)))?.["label"]).toBe(label)
    }
  )

  it.each([
    ["none", undefined],
    ["an empty one", ""],
    ["a number", 7],
    ["null", null],
    ["one character too many", "x".repeat(KeyLimits.keyLabelChars.max + 1)],
    ["one wide character too many", "😀".repeat(KeyLimits.keyLabelChars.max + 1)],
    ["what no database holds", "a\u0000b"],
    ["half a character", "\ud800"]
  ])("[keys.mint.label] [limits.keyLabelChars] %s is refused by name", async (_what, label) => {
    const answer = await mint({ scopes: ["rooms:read"], label })
    expect([answer.status, errorOf(answer).code]).toEqual([400, "E_BAD_REQUEST"])
    expect(errorOf(answer).message).toContain("label")
  })

  it("[D-02] what the route does not take is named", async () => {
    const field = await mint({ scopes: ["rooms:read"], label: "x", expiresAt: "never" })
    expect([field.status, errorOf(field).message]).toEqual([400, "unknown field: expiresAt"])
    const query = await ask(service, keys("?all=1"), as(service.token))
    expect([query.status, errorOf(query).message]).toEqual([400, "unknown query parameter: all"])
  })
})

describe("GET keys", () => {
  it("[route.keys.list] [keys.list.array] [D-04] an array, newest first", async () => {
    const project = await otherProject()
    expect((await ask(service, keys("", project), as(service.token))).text).toBe("[]")
    const minted: Array<string> = []
    for (const scope of ["rooms:read", "rooms:write", "rooms:read"]) {
      minted.unshift((await mintKey(service, [scope], project)).keyId)
    }
    const answer = await ask(service, keys("", project), as(service.token))
    expect(answer.status).toBe(200)
    const rows: ReadonlyArray<{ keyId: string }> = JSON.parse(answer.text)
    expect(rows.map(({ keyId }) => keyId)).toEqual(minted)
  })

  it("[keys.row.field-names] [keys.row.scopes] a row has these fields and no others", async () => {
    const { keyId } = await mintKey(service, ["rooms:write"])
    expect(await rowOf({ keyId })).toEqual({
      keyId,
      label: "under test",
      scopes: ["rooms:write"],
      createdAt: expect.stringMatching(iso),
      lastUsed: null,
      revokedAt: null
    })
  })

  it("[keys.list.no-material] [keys.secret.once] [auth.key.no-recovery] no later answer holds anything of a secret", async () => {
    const { keyId, secret } = await mintKey(service, ["rooms:read"])
    const digest = createHash("sha256").update(secret)
    const hex = digest.copy().digest("hex")
    const material = [secret, secret.slice(3), secret.slice(3, 15), secret.slice(-12), hex].concat(
      hex.slice(0, 12),
      digest.copy().digest("base64url").slice(0, 12)
    )
    const answers = [
      await ask(service, keys(), as(service.token)),
      await listRooms(secret),
      await ask(service, keys(), as(secret)),
      await ask(service, `/v1/projects/${service.project}`, as(service.token)),
      await revoke(keyId),
      await revoke(keyId),
      await listRooms(secret),
      await ask(service, keys(`/${keyId}`), as(service.token)),
      await ask(service, "/metrics")
    ]
    const seen = answers.map(({ text, headers }) => `${text}${JSON.stringify([...headers])}`)
    for (const piece of material) expect(seen.join("\n") + service.output()).not.toContain(piece)
  })

  it("[keys.secret.only-hash-stored] no table holds the secret, one its SHA-256", async () => {
    const { secret } = await mintKey(service, ["rooms:read"])
    await listRooms(secret)
    const tables = await onDatabase<{ readonly name: string }>(
      service.databaseUrl,
      (sql) => sql`select tablename as name from pg_tables where schemaname = 'public'`
    )
    const dump: Array<string> = []
    for (const { name } of tables) {
      const rows = await onDatabase<{ readonly row: string }>(
        service.databaseUrl,
        (sql) => sql`select t::text as row from ${sql(name)} t`
      )
      dump.push(...rows.map(({ row }) => row))
    }
    const whole = dump.join("\n")
    const bytes = Buffer.from(secret)
    for (const form of [secret.slice(3), bytes.toString("hex"), bytes.toString("base64")]) {
      expect(whole).not.toContain(form)
    }
    expect(whole).toContain(createHash("sha256").update(secret).digest("hex"))
  })
})

describe("lastUsed", () => {
  it("[keys.row.lastUsed] [auth.key.lastUsed-shows-use] null before the first use, a moment after it", async () => {
    const key = await mintKey(service, ["rooms:read"])
    expect((await rowOf(key))?.["lastUsed"]).toBeNull()
    const before = Date.now()
    expect((await listRooms(key.secret)).status).toBe(200)
    const used = (await rowOf(key))?.["lastUsed"]
    expect(used).toMatch(iso)
    expect(Date.parse(String(used))).toBeGreaterThanOrEqual(before - 1)
    expect(Date.parse(String(used))).toBeLessThanOrEqual(Date.now())
    await listRooms(key.secret)
    expect((await rowOf(key))?.["lastUsed"]).toBe(used)
  })

  it("[keys.row.lastUsed] it does not move while the key is unused, nor by what is refused", async () => {
    const key = await mintKey(service, ["rooms:read"])
    const room = `/v1/projects/${service.project}/rooms/r`
    const refused = [
      await ask(service, room, as(key.secret, { method: "DELETE" })),
      await listRooms(key.secret, await otherProject()),
      await listRooms(key.secret, "p_0000000000000000"),
      await ask(service, keys(), as(key.secret))
    ]
    expect(refused.map(({ status }) => status)).toEqual([403, 404, 404, 401])
    expect((await rowOf(key))?.["lastUsed"]).toBeNull()
    await revoke(key.keyId)
    expect((await listRooms(key.secret)).status).toBe(401)
    expect((await rowOf(key))?.["lastUsed"]).toBeNull()
  })

  it("[C-62] a call that the route refuses is a use: the key was accepted", async () => {
    const key = await mintKey(service, ["rooms:read"])
    const room = await ask(service, `/v1/projects/${service.project}/rooms/r`, as(key.secret))
    expect([room.status, errorOf(room).code]).toEqual([404, "E_ROOM_NOT_FOUND"])
    expect((await rowOf(key))?.["lastUsed"]).toMatch(iso)
  })
})

describe("DELETE key", () => {
  it("[route.keys.revoke] [state.key.delete-revoked] [keys.row.revoked-time] the key is revoked, once", async () => {
    const key = await mintKey(service, ["rooms:read"])
    await listRooms(key.secret)
    const before = await rowOf(key)
    expect(before?.["revokedAt"]).toBeNull()
    const first = await revoke(key.keyId)
    expect(first.status).toBe(200)
    expect(JSON.parse(first.text)).toEqual({ ...before, revokedAt: expect.stringMatching(iso) })
    const again = await revoke(key.keyId)
    expect([again.status, again.text]).toEqual([200, first.text])
    expect(await rowOf(key)).toEqual(JSON.parse(first.text))
  })

  it("[state.key.revoked-401] [keys.row.stays-after-revoke] the very next use is refused, and the row stays", async () => {
    const key = await mintKey(service, ["rooms:write"])
    expect((await listRooms(key.secret)).status).toBe(200)
    await revoke(key.keyId)
    const answer = await listRooms(key.secret)
    expect([answer.status, errorOf(answer).code]).toEqual([401, "E_UNAUTHENTICATED"])
    const rows = await keysOf(service)
    expect(rows.filter((row) => row["keyId"] === key.keyId)).toHaveLength(1)
  })

  it("[state.key.revoked-401] uses that race with the revocation are granted before it only", async () => {
    const { keyId, secret } = await mintKey(service, ["rooms:read"])
    let done = false
    const statuses: Array<readonly [begun: boolean, status: number]> = []
    const users = Array.from({ length: 8 }, async () => {
      for (let after = 0; after < 3;) {
        const begun = done
        statuses.push([begun, (await listRooms(secret)).status])
        if (begun) after++
      }
    })
    await until("a use is granted", () => statuses.some(([, status]) => status === 200))
    expect((await revoke(keyId)).status).toBe(200)
    done = true
    await Promise.all(users)
    expect(statuses.filter(([begun]) => begun)).toHaveLength(24)
    expect(statuses.filter(([begun, status]) => begun && status !== 401)).toEqual([])
    expect(statuses.filter(([, status]) => status !== 401 && status !== 200)).toEqual([])
  })

  it("[D-19] unknown, malformed and foreign ids get the same 404", async () => {
    const project = await otherProject()
    const foreign = await mintKey(service, ["rooms:read"], project)
    const ids = ["key_0000000000000000", "key_", "x", "%00", "k".repeat(300), foreign.keyId]
    const answers = await Promise.all(ids.map((id) => revoke(id)))
    for (const answer of answers) {
      expect([answer.status, errorOf(answer).code]).toEqual([404, "E_KEY_NOT_FOUND"])
    }
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect((await listRooms(foreign.secret, project)).status).toBe(200)
  })
})
