import { sessionCookie } from "@atrium/domain/http/Credential"
import { beforeAll, describe, expect, it } from "vitest"

import {
  type Answer,
  as,
  ask,
  askRoute,
  errorOf,
  keysOf,
  mintKey,
  type RoomRoute,
  roomRoutes
} from "../testing/KeysUnderTest.ts"
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
  it.each(roomRoutes)(
    "[auth.401.missing] [auth.401.unknown] [auth.401.revoked] [auth.401.identical-wording] $method $path",
    async (route) => {
      const path = project(route.path)
      const { headers: _, ...request } = as("", route)
      const secret = reader
      const authorizations: ReadonlyArray<Record<string, string>> = [
        {},
        { authorization: "" },
        { authorization: "Bearer" },
        { authorization: "Bearer " },
        { authorization: `Bearer rk_${"a".repeat(43)}` },
        { authorization: `Bearer ct_${"a".repeat(43)}` },
        { authorization: `Bearer ${revoked}` },
        { authorization: `Bearer ${secret.slice(0, -1)}` },
        { authorization: `Bearer ${secret}A` },
        { authorization: `Bearer ${secret.toUpperCase()}` },
        { authorization: `Bearer ${secret.slice(3)}` },
        { authorization: secret },
        { authorization: `Basic ${secret}` },
        { authorization: `Basic ${Buffer.from(`key:${secret}`).toString("base64")}` },
        { authorization: `Token ${secret}` },
        { cookie: `${sessionCookie}=${secret}` },
        { "x-api-key": secret }
      ]
      const answers = await Promise.all(
        authorizations.map((headers) =>
          ask(service, path, {
            ...request,
            headers: { ...headers, "content-type": "application/json" }
          })
        )
      )
      const [first, ...others] = answers.map(seen)
      expect(answers.map(codeOf)).toEqual(answers.map(() => unauthenticated))
      expect(first?.headers).toContainEqual(["www-authenticate", "Bearer"])
      for (const other of others) expect(other).toEqual(first)
    }
  )

  it("[auth.bearer-api-key] only the header counts", async () => {
    for (const query of [`?authorization=${reader}`, `?key=${reader}`, `?access_token=${reader}`]) {
      expect(codeOf(await ask(service, project(`/rooms${query}`)))).toEqual(unauthenticated)
    }
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
  const passes = async (route: RoomRoute, bearer: string): Promise<void> => {
    const answer = await askRoute(service, route, { bearer })
    const [status, code] = route.reached
    expect([answer.status, status < 400 ? null : errorOf(answer).code]).toEqual([status, code])
  }

  it.each(roomRoutes)("[scope.$id] $method $path: a key with $scope passes", async (route) => {
    await passes(route, writer)
    if (route.scope === "rooms:read") await passes(route, reader)
    else {
      const refused = await askRoute(service, route, { bearer: reader })
      expect(codeOf(refused)).toEqual([403, "E_SCOPE"])
      expect(errorOf(refused).message).toContain("rooms:write")
    }
  })

  it("[scope.read.reaches] a reading key reaches four routes, and three refuse it", async () => {
    const answers = await Promise.all(
      roomRoutes.map((route) => askRoute(service, route, { bearer: reader }))
    )
    const refused = answers.filter(({ status }) => status === 403)
    expect([answers.length, refused.length]).toEqual([7, 3])
  })

  it("[scope.write.reaches] [scope.write-implies-read] a key with rooms:write alone reaches all seven", async () => {
    for (const route of roomRoutes) await passes(route, writer)
  })

  it("[auth.login.required] the account's login is as good as a key with all scopes", async () => {
    for (const route of roomRoutes) await passes(route, service.token)
  })

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
  it.each(roomRoutes)(
    "[auth.key.other-project-404] [auth.key.other-vs-nonexistent-identical] [auth.key.order-404-before-403] $method $path",
    async (route) => {
      for (const bearer of [reader, writer, service.token]) {
        const there = await askRoute(service, route, { bearer, project: foreign })
        expect(codeOf(there)).toEqual([404, "E_NOT_FOUND"])
        for (const id of [missing, "nonsense", "P_00000000000000FF", "%00", "%zz", "a%2fb"]) {
          const nowhere = await askRoute(service, route, { bearer, project: id })
          expect(seen(nowhere)).toEqual(seen(there))
        }
      }
      const own = await askRoute(service, route, { bearer: stranger, project: foreign })
      expect([401, 403]).not.toContain(own.status)
    }
  )

  it("[auth.login.other-account] a login of another account sees no more than that", async () => {
    const paths: ReadonlyArray<readonly [path: string, request: RequestInit]> = [
      ["", as(stranger)],
      ["/keys", as(stranger)],
      ["/keys", as(stranger, { method: "POST", body: { scopes: ["rooms:read"], label: "x" } })],
      ["/keys", as(stranger, { method: "POST", body: { nonsense: true } })],
      ["/keys/key_0000000000000000", as(stranger, { method: "DELETE" })],
      ["/deployments", as(stranger)],
      ["/rooms?colour=red", as(stranger)],
      ["/caps", as(stranger)],
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

  it("[error.http.E_NOT_FOUND] a key's own rooms are there, those of a foreign project are not", async () => {
    const [list] = roomRoutes
    if (list === undefined) throw new Error("no routes")
    expect((await askRoute(service, list, { bearer: reader })).status).toBe(200)
    const refused = await askRoute(service, list, { bearer: reader, project: foreign })
    expect(refused.text).toBe('{"error":{"code":"E_NOT_FOUND","message":"not found"}}')
  })
})

type Unreachable = readonly [id: string, method: string, path: string, body?: object]

/** Everything that an API key must not reach, with what it would change. */
const unreachable: ReadonlyArray<Unreachable> = [
  ["auth.key.cannot.mint", "POST", "/keys", { scopes: ["rooms:read"], label: "x" }],
  ["auth.key.cannot.list", "GET", "/keys"],
  ["auth.key.cannot.revoke", "DELETE", "/keys/:other"],
  ["auth.key.cannot.revoke-self", "DELETE", "/keys/:self"],
  ["auth.key.cannot.deploy", "POST", "/deployments", {}],
  ["auth.key.cannot.deploy", "GET", "/deployments"],
  ["auth.key.cannot.rollback", "POST", "/rollback", { version: 1 }],
  ["auth.key.cannot.usage", "GET", "/usage"],
  ["auth.key.cannot.project-patch", "PATCH", "", { name: "e2e" }],
  ["auth.key.cannot.project-patch", "PUT", "/name", { name: "mine" }],
  ["auth.key.cannot.project-patch", "DELETE", ""],
  ["auth.key.cannot.project-patch", "GET", ""],
  ["auth.key.cannot.caps", "GET", "/caps"],
  ["auth.key.cannot.caps", "PATCH", "/caps", { caps: { roomHours: 1 } }],
  ["auth.key.cannot.deploy", "POST", "/jwt-secret", { rotate: true }],
  ["auth.key.cannot.deploy", "DELETE", "/jwt-secret"],
  ["auth.key.cannot.deploy", "PUT", "/dev-lease", { holder: "run", folder: "/games/chess" }],
  ["auth.key.cannot.account", "GET", "/audit"],
  ["auth.key.cannot.player-data", "GET", "/players"],
  ["auth.key.cannot.leaderboards", "GET", "/boards"],
  ["auth.key.cannot.ratings", "GET", "/ratings"]
]
const elsewhere: ReadonlyArray<Unreachable> = [
  ["auth.key.cannot.billing", "GET", "/v1/billing"],
  ["auth.key.cannot.billing", "POST", "/v1/billing/card"],
  ["auth.key.cannot.fleet", "GET", "/v1/fleet"],
  ["auth.key.cannot.fleet", "POST", "/v1/fleet/servers/1/stop"],
  ["auth.key.cannot.account", "GET", "/v1/me"],
  ["auth.key.cannot.account", "GET", "/v1/me/audit"],
  ["auth.key.cannot.account", "DELETE", "/v1/me/nothing"],
  ["auth.key.cannot.account", "GET", "/v1/projects"],
  ["auth.key.cannot.account", "POST", "/v1/projects"],
  ["auth.key.cannot.account", "POST", "/v1/me/invitations"],
  ["auth.key.cannot.cli-token", "GET", "/v1/me/tokens"],
  ["auth.key.cannot.cli-token", "DELETE", "/v1/me/tokens/tok_0000000000000000"],
  ["auth.key.cannot.cli-token", "POST", "/v1/login/token"],
  ["auth.key.cannot.cli-token", "POST", "/v1/login/device"]
]

describe("what no API key reaches", () => {
  it.for(unreachable)(
    "[%s] [keys.routes.api-key-refused] %s %s",
    async ([, method, path, body]) => {
      const self = await mintKey(service, ["rooms:read", "rooms:write"])
      const other = await mintKey(service, ["rooms:read"])
      const before = [await keysOf(service), await ask(service, project(""), as(service.token))]
      const target = path.replace(":self", self.keyId).replace(":other", other.keyId)
      const answer = await ask(service, project(target), as(self.secret, { method, body }))
      expect(codeOf(answer)).toEqual(unauthenticated)
      expect(answer.headers.get("www-authenticate")).toBe("Bearer")
      const after = [await keysOf(service), await ask(service, project(""), as(service.token))]
      expect(JSON.stringify(after)).toBe(JSON.stringify(before))
      expect((await ask(service, project("/rooms"), as(self.secret))).status).toBe(200)
    }
  )

  it.for(elsewhere)("[%s] %s %s", async ([, method, path]) => {
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

describe("logins", () => {
  it("[auth.login.required] none is refused, a token and a session pass", async () => {
    const body = { token: service.token }
    const started = await ask(service, "/v1/login/session", {
      ...as("", { method: "POST", body }),
      headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" }
    })
    const cookie = started.headers.get("set-cookie")?.split(";", 1)[0] ?? ""
    expect(cookie).toMatch(new RegExp(`^${sessionCookie}=cs_`))
    const session = cookie.slice(sessionCookie.length + 1)
    const paths = ["/keys", "", "/caps", "/deployments", "/rooms"].map(project)
    for (const path of paths) {
      expect([path, (await ask(service, path)).status]).toEqual([path, 401])
      for (const request of [as(service.token), as(session), { headers: { cookie } }]) {
        expect([path, (await ask(service, path, request)).status]).toEqual([path, 200])
      }
    }
    const minting = {
      method: "POST",
      body: JSON.stringify({ scopes: ["rooms:read"], label: "by a session" })
    }
    const from = (site: string) =>
      ask(service, project("/keys"), {
        ...minting,
        headers: { cookie, "content-type": "application/json", "sec-fetch-site": site }
      })
    expect((await from("same-origin")).status).toBe(201)
    expect(codeOf(await from("cross-site"))).toEqual([403, "E_ORIGIN"])
  })
})
