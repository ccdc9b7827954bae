import { HttpLimits } from "@atrium/domain/http/HttpLimits"
import { describe, expect, it } from "vitest"

import { sharedService } from "../testing/ServiceUnderTest.ts"

const service = sharedService()

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

const ask = async (path: string, request: RequestInit = {}): Promise<Answer> => {
  const response = await fetch(`${service.url}${path}`, request)
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const login = (): Record<string, string> => ({ authorization: `Bearer ${service.token}` })

const json = (body: string, headers: Record<string, string> = {}): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json", ...headers },
  body
})

const upload = (bundle: string | Uint8Array<ArrayBuffer>, headers = login()): Promise<Answer> =>
  ask(`/v1/projects/${service.project}/deployments`, {
    method: "POST",
    headers: { "content-type": "application/javascript", ...headers },
    body: bundle
  })

/** Code and message of an error, its whole shape checked on the way. */
const errorOf = (answer: Answer): { readonly code: string; readonly message: string } => {
  expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8")
  const body: { error: { code: string; message: string } } = JSON.parse(answer.text)
  expect(Object.keys(body)).toEqual(["error"])
  expect(Object.keys(body.error)).toEqual(["code", "message"])
  expect(Buffer.byteLength(body.error.message)).toBeLessThanOrEqual(96)
  return body.error
}

describe("answers that no handler makes", () => {
  it("[D-02] a body of 1 MiB passes the gate, one byte more is 413 E_BODY_TOO_LARGE", async () => {
    const empty = '{"project":""}'
    const body = (bytes: number) => `{"project":"${"p".repeat(bytes - empty.length)}"}`
    const atLimit = await ask("/v1/identity", json(body(1024 * 1024)))
    expect([atLimit.status, errorOf(atLimit).code]).toEqual([404, "E_NOT_FOUND"])
    const past = await ask("/v1/identity", json(body(1024 * 1024 + 1)))
    expect([past.status, errorOf(past).code]).toEqual([413, "E_BODY_TOO_LARGE"])
  })
})

describe("requests that do not fit", () => {
  it("[D-16] a secret where a name belongs is not told again", async () => {
    const secret = `ct_${"Ab3_-".repeat(8)}xyz`
    const field = await ask("/v1/identity", json(JSON.stringify({ [secret]: 1 })))
    expect(errorOf(field).message).toBe("unknown field: ct_…")
    const parameter = await ask(`/v1/projects?${secret}`, { headers: login() })
    expect(errorOf(parameter).message).toBe("unknown query parameter: ct_…")
    const among = await ask(`/v1/projects?a=1&key.${secret}.x=1`, { headers: login() })
    expect(errorOf(among).message).not.toContain(secret)
  })

  it("[D-02] a body of another type is refused", async () => {
    const answer = await ask("/v1/identity", {
      method: "POST",
      headers: { "content-type": "text/plain" },
      body: "project=dev"
    })
    expect([answer.status, errorOf(answer).code]).toEqual([400, "E_BAD_REQUEST"])
  })
})

describe("bodies of very many values", () => {
  const identity = (fields: number, first = '"project":"x"'): Promise<Answer> =>
    ask(
      "/v1/identity",
      json(`{${[first, ...Array.from({ length: fields }, (_, at) => `"a${at}":0`)].join()}}`)
    )

  it("[limits.bodyCommas] 10,000 commas are read, one more is 400", async () => {
    const atLimit = await identity(HttpLimits.bodyCommas.max)
    expect(errorOf(atLimit)).toEqual({ code: "E_BAD_REQUEST", message: "unknown field: a0" })
    const past = await identity(HttpLimits.bodyCommas.max + 1)
    expect(errorOf(past)).toEqual({ code: "E_BAD_REQUEST", message: "body: over 10,000 values" })
  })

  it("[D-02] the first thing that does not fit is named, and the others are not looked for", async () => {
    const both = await identity(1, '"project":7')
    expect(errorOf(both).message).toBe("unknown field: a0")
    expect(errorOf(await identity(0, '"project":7')).message).toMatch(/^field project: /)
  })
})

describe("bodies that are not what they are taken for", () => {
  const named = (name: Buffer | string, headers: object = {}): Promise<Answer> =>
    ask("/v1/projects", {
      method: "POST",
      headers: { "content-type": "application/json", ...login(), ...headers },
      body: new Uint8Array(
        Buffer.concat([Buffer.from('{"name":"'), Buffer.from(name), Buffer.from('"}')])
      )
    })

  it.each<[what: string, says: string, sent: [name: Buffer | string, headers: object]]>([
    ["a byte that UTF-8 does not have", "body: not UTF-8", [Buffer.from([0xff]), {}]],
    ["half a character", "body: not UTF-8", [Buffer.from([0xe2, 0x98]), {}]],
    ["a surrogate", "body: not UTF-8", [Buffer.from([0xed, 0xa0, 0x80]), {}]],
    [
      "Latin-1",
      "content-type: the charset is not UTF-8",
      ["x", { "content-type": "application/json; charset=latin1" }]
    ],
    [
      "what was compressed",
      "content-encoding: not one that is taken",
      ["x", { "content-encoding": "gzip" }]
    ]
  ])("[C-77] [D-02] %s is 400, and nothing is made", async (_what, says, [name, headers]) => {
    const before = await ask("/v1/projects", { headers: login() })
    const answer = await named(name, headers)
    expect([answer.status, errorOf(answer)]).toEqual([
      400,
      { code: "E_BAD_REQUEST", message: says }
    ])
    expect((await ask("/v1/projects", { headers: login() })).text).toBe(before.text)
  })

  it.each([
    {},
    { "content-type": 'application/json; charset="UTF-8"' },
    { "content-encoding": "identity" }
  ])("[C-77] UTF-8 that says so is taken as it is: %o", async (headers) => {
    const answer = await named("wörd ☃ \u{1f600}", headers)
    expect(JSON.parse(answer.text)).toMatchObject({ name: "wörd ☃ \u{1f600}" })
  })

  it("[D-03] the credential comes before that, too", async () => {
    const refused = await named(Buffer.from([0xff]), { authorization: "Bearer nobody" })
    expect([refused.status, errorOf(refused).code]).toEqual([401, "E_UNAUTHENTICATED"])
    const zipped = await upload("x", { "content-encoding": "gzip" })
    expect(zipped.status).toBe(401)
    const bundle = await upload("x", { ...login(), "content-encoding": "gzip" })
    expect([bundle.status, errorOf(bundle).message]).toEqual([
      400,
      "content-encoding: not one that is taken"
    ])
  })
})

describe("pages of other origins", () => {
  const origin = "https://game.example"

  it("[D-30] may call the open routes: the exact origin is echoed, the preflight answered", async () => {
    const preflight = await ask("/v1/identity", {
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": "POST" }
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get("access-control-allow-origin")).toBe(origin)
    expect(preflight.headers.get("access-control-allow-headers")).toContain("content-type")
    const body = JSON.stringify({ project: service.project })
    const answer = await ask("/v1/identity", json(body, { origin }))
    expect(answer.status).toBe(201)
    expect(answer.headers.get("access-control-allow-origin")).toBe(origin)
    expect(answer.headers.get("vary")).toContain("Origin")
    const refused = await ask("/v1/identity", json('{"project":"p_0000000000000000"}', { origin }))
    expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([
      404,
      origin
    ])
  })

  it("[D-30] may not call the others", async () => {
    for (const method of ["GET", "OPTIONS"]) {
      const answer = await ask("/v1/projects", { method, headers: { ...login(), origin } })
      expect(answer.headers.get("access-control-allow-origin")).toBe(null)
    }
  })
})

describe("projects", () => {
  const create = (name: string): Promise<Answer> =>
    ask("/v1/projects", json(JSON.stringify({ name }), login()))

  it("[limits.projectNameChars] a name has 1 to 100 characters", async () => {
    expect((await create("n".repeat(100))).status).toBe(201)
    for (const name of ["", "n".repeat(101)]) {
      const answer = await create(name)
      const { code, message } = errorOf(answer)
      expect([answer.status, code]).toEqual([400, "E_BAD_REQUEST"])
      expect(message).toContain("field name")
    }
  })
})

describe("deployments", () => {
  it.each([
    ["no JavaScript", "const = 1", "E_BUNDLE_INVALID"],
    ["nothing", "", "E_BUNDLE_INVALID"],
    ["a script without rooms", "exports.rooms = {}", "E_BUNDLE_INVALID"],
    ["one that throws", 'throw new Error("at load")', "E_BUNDLE_INVALID"],
    ["one that reads files", 'require("node:fs")', "E_BUNDLE_INVALID"]
  ])("[D-40] %s is refused and deploys nothing", async (_what, bundle, code) => {
    const before = await ask(`/v1/projects/${service.project}/deployments`, { headers: login() })
    const answer = await upload(bundle)
    expect([answer.status, errorOf(answer).code]).toEqual([400, code])
    const after = await ask(`/v1/projects/${service.project}/deployments`, { headers: login() })
    expect(after.text).toBe(before.text)
  })
})
