import { sessionCookie } from "@atrium/domain/http/Credential"
import { beforeAll, describe, expect, it } from "vitest"

import { type Answer, as, ask, errorOf, keysOf, mintKey } from "../testing/KeysUnderTest.ts"
import { serviceUnderTest } from "../testing/ServiceUnderTest.ts"

const service = serviceUnderTest()

const missing = "p_00000000000000ff"
let reader = ""
let writer = ""
let revoked = ""
/** Another account's login, and its project. */
let stranger = ""
let foreign = ""

beforeAll(async () => {
  reader = (await mintKey(service, ["rooms:read"])).secret
  writer = (await mintKey(service, ["rooms:write"])).secret
  const gone = await mintKey(service, ["rooms:write"])
  await ask(
    service,
    `/v1/projects/${service.project}/keys/${gone.keyId}`,
    as(service.token, { method: "DELETE" })
  )
  revoked = gone.secret
  const post = async (path: string, bearer: string, body: unknown) =>
    JSON.parse((await ask(service, path, as(bearer, { method: "POST", body }))).text)
  const { code } = await post("/v1/me/invitations", service.token, { name: "stranger" })
  stranger = (await post("/v1/login/invitation", "", { code, name: "stranger" })).token
  foreign = (await post("/v1/projects", stranger, { name: "foreign" })).id
})

/** Headers that differ from answer to answer, whatever the answer is. */
const ofEach: ReadonlySet<string> = new Set(["date", "x-request-id"])
const seen = ({ status, headers, text }: Answer) => ({
  status,
  text,
  headers: [...headers].filter(([name]) => !ofEach.has(name))
})
const codeOf = (answer: Answer): unknown =>
  answer.status < 400 ? null : [answer.status, errorOf(answer).code]

const unauthenticated = [401, "E_UNAUTHENTICATED"]
const project = (path: string): string => `/v1/projects/${service.project}${path}`

describe("no valid credential", () => {
  it("[auth.401.identical-wording] a header without a token, and a key in the session's cookie, are no credential", async () => {
    const strange: ReadonlyArray<Record<string, string>> = [
      {},
      { authorization: "" },
      { authorization: "Bearer" },
      { authorization: "Bearer " },
      { authorization: `Bearer ct_${"a".repeat(43)}` },
      { cookie: `${sessionCookie}=${reader}` }
    ]
    const answers = await Promise.all(
      strange.map((headers) => ask(service, project("/rooms"), { headers }))
    )
    const [first, ...others] = answers.map(seen)
    expect(answers.map(codeOf)).toEqual(answers.map(() => unauthenticated))
    for (const other of others) expect(other).toEqual(first)
  })

  it("[error.http.E_UNAUTHENTICATED] [D-03] whatever else is wrong with the request", async () => {
    const answers = [
      await ask(service, project("/rooms?colour=red")),
      await ask(service, project("/rooms?active=maybe"), as(revoked)),
      await ask(service, project("/rooms/r"), { method: "PATCH", body: "{" }),
      await ask(service, project("/keys"), { method: "POST", body: "{" }),
      await ask(service, `/v1/projects/${missing}/rooms`, as(revoked)),
      await ask(service, `/v1/projects/${foreign}/keys`),
      await ask(service, "/v1/projects/%zz/rooms"),
      await ask(service, `/v1/projects/${"9".repeat(4000)}/rooms`)
    ]
    expect(answers.map(codeOf)).toEqual(answers.map(() => unauthenticated))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  })
})

describe("scopes", () => {
  it("[auth.403.scope] [error.http.E_SCOPE] [D-03] the scope comes before the request's shape", async () => {
    const refused = await ask(
      service,
      project("/rooms/r"),
      as(reader, { method: "PATCH", body: { class: "large" } })
    )
    expect(codeOf(refused)).toEqual([403, "E_SCOPE"])
    const fits = await ask(
      service,
      project("/rooms/r"),
      as(writer, { method: "PATCH", body: { class: "large" } })
    )
    expect(codeOf(fits)).toEqual([400, "E_BAD_REQUEST"])
  })
})

describe("other projects", () => {
  it("[auth.login.other-account] a login of another account sees no more than that", async () => {
    const paths: ReadonlyArray<readonly [path: string, request: RequestInit]> = [
      ["", as(stranger)],
      ["/keys", as(stranger, { method: "POST", body: { nonsense: true } })],
      ["/deployments", as(stranger)],
      ["/rooms?colour=red", as(stranger)],
      ["/dev-lease", as(stranger, { method: "PUT", body: { holder: "run", folder: "/chess" } })]
    ]
    const keys = await keysOf(service)
    for (const [path, request] of paths) {
      const there = await ask(service, project(path), request)
      expect([path, codeOf(there)]).toEqual([path, [404, "E_NOT_FOUND"]])
      const nowhere = await ask(service, `/v1/projects/${missing}${path}`, request)
      expect(seen(nowhere)).toEqual(seen(there))
    }
    expect(await keysOf(service)).toEqual(keys)
  })
})

type Unreachable = readonly [id: string, method: string, path: string, body?: object]

/** Routes that no API key reaches, beside those of the conformance suite. */
const unreachable: ReadonlyArray<Unreachable> = [
  ["auth.key.cannot.deploy", "DELETE", "/jwt-secret"],
  ["auth.key.cannot.deploy", "PUT", "/dev-lease", { holder: "run", folder: "/games/chess" }],
  ["auth.key.cannot.account", "GET", "/audit"],
  ["auth.key.cannot.player-data", "GET", "/players"],
  ["auth.key.cannot.leaderboards", "GET", "/boards"],
  ["auth.key.cannot.ratings", "GET", "/ratings"]
]
const elsewhere: ReadonlyArray<Unreachable> = [
  ["auth.key.cannot.account", "GET", "/v1/me/audit"],
  ["auth.key.cannot.account", "DELETE", "/v1/me/nothing"],
  ["auth.key.cannot.account", "POST", "/v1/me/invitations"],
  ["auth.key.cannot.cli-token", "GET", "/v1/me/tokens"],
  ["auth.key.cannot.cli-token", "DELETE", "/v1/me/tokens/tok_0000000000000000"],
  ["auth.key.cannot.cli-token", "POST", "/v1/login/token"],
  ["auth.key.cannot.cli-token", "POST", "/v1/login/device"]
]

describe("what no API key reaches", () => {
  it.for(unreachable)(
    "[%s] %s %s refuses an API key, and changes nothing",
    async ([, method, path, body]) => {
      const self = await mintKey(service, ["rooms:read", "rooms:write"])
      const before = [await keysOf(service), await ask(service, project(""), as(service.token))]
      const answer = await ask(service, project(path), as(self.secret, { method, body }))
      expect(codeOf(answer)).toEqual(unauthenticated)
      expect(answer.headers.get("www-authenticate")).toBe("Bearer")
      const after = [await keysOf(service), await ask(service, project(""), as(service.token))]
      expect(JSON.stringify(after)).toBe(JSON.stringify(before))
      expect((await ask(service, project("/rooms"), as(self.secret))).status).toBe(200)
    }
  )

  it.for(elsewhere)("[%s] %s %s refuses an API key", async ([, method, path]) => {
    const answer = await ask(
      service,
      path,
      as(writer, { method, body: method === "POST" ? {} : undefined })
    )
    expect(codeOf(answer)).toEqual(unauthenticated)
  })

  it("[C-63] what is not there yet is 404 to a login, and 401 to everybody else", async () => {
    const paths = [project("/usage"), project("/nothing/at/all"), "/v1/billing", "/v1/fleet/x"]
    for (const path of [...paths, "/v1/me/nothing", `/v1/projects/${foreign}/usage`]) {
      const answer = await ask(service, path, as(service.token))
      expect([path, codeOf(answer)]).toEqual([path, [404, "E_NOT_FOUND"]])
      for (const bearer of ["", "nonsense", writer, revoked]) {
        const refused = await ask(service, path, as(bearer))
        expect([path, codeOf(refused)]).toEqual([path, unauthenticated])
      }
      expect(codeOf(await ask(service, path))).toEqual(unauthenticated)
    }
    for (const path of ["/v1/nothing", "/v2/billing", "/v1/billings", "/"]) {
      expect(codeOf(await ask(service, path, as(writer)))).toEqual([404, "E_NOT_FOUND"])
    }
  })

  it("[D-05] a path is taken as it is written: nothing is done to what stands before a slash", async () => {
    const made = await ask(
      service,
      "/v1/projects",
      as(service.token, { method: "POST", body: { name: "kept" } })
    )
    const { id } = JSON.parse(made.text)
    // What `fetch` makes of `rooms/..`, of an id that a program put into the path.
    for (const path of ["/rooms/..", "/rooms/%2e%2e", "/keys/.."]) {
      const answer = await ask(
        service,
        `/v1/projects/${id}${path}`,
        as(service.token, { method: "DELETE" })
      )
      expect(codeOf(answer)).toEqual([404, "E_NOT_FOUND"])
    }
    expect((await ask(service, `/v1/projects/${id}`, as(service.token))).status).toBe(200)
    for (const roomId of ["x".repeat(128), "x".repeat(129), "a;b", "%00", "%zz"]) {
      const room = await ask(service, project(`/rooms/${roomId}`), as(reader))
      expect(codeOf(room)).toEqual([404, "E_ROOM_NOT_FOUND"])
    }
  })

  it("[C-63] a path that is there with other methods says so, to everybody", async () => {
    for (const bearer of ["", writer, service.token]) {
      const answer = await ask(service, project("/rooms"), as(bearer, { method: "PUT" }))
      expect(codeOf(answer)).toEqual([405, "E_METHOD_NOT_ALLOWED"])
      expect(answer.headers.get("allow")).toBe("GET")
    }
  })
})
