import { sessionCookie } from "@atrium/domain/http/Credential"
import { beforeAll, describe, expect, it } from "vitest"

import { type Answer, as, ask, errorOf, mintKey } from "../testing/KeysUnderTest.ts"
import { sharedService } from "../testing/ServiceUnderTest.ts"

const service = sharedService()

const missing = "p_00000000000000ff"
let reader = ""
let writer = ""
let revoked = ""
/** The project of another account. */
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
  const stranger = (await post("/v1/login/invitation", "", { code, name: "stranger" })).token
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
    const identity = await ask(service, "/v1/identity", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ project: service.project })
    })
    const strange: ReadonlyArray<Record<string, string>> = [
      {},
      { authorization: "" },
      { authorization: "Bearer" },
      { authorization: "Bearer " },
      { authorization: `Bearer ct_${"a".repeat(43)}` },
      { authorization: `Bearer rk_${"a".repeat(43)}` },
      { authorization: `Basic ${service.token}` },
      { authorization: `Bearer ${JSON.parse(identity.text).token}` },
      { cookie: `${sessionCookie}=${reader}` }
    ]
    const answers = await Promise.all(
      strange.map((headers) => ask(service, project("/rooms"), { headers }))
    )
    const [first, ...others] = answers.map(seen)
    expect(answers.map(codeOf)).toEqual(answers.map(() => unauthenticated))
    for (const other of others) expect(other).toEqual(first)
  })

  it("[error.http.E_UNAUTHENTICATED] [D-03] is the answer even when something else is wrong with the request", async () => {
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

describe("routes that no API key reaches", () => {
  it.each(["device", "token", "session", "invitation"])(
    "[auth.key.cannot.cli-token] /v1/login/%s, which takes no credential, refuses an API key",
    async (name) => {
      const answer = await ask(
        service,
        `/v1/login/${name}`,
        as(writer, { method: "POST", body: {} })
      )
      expect(codeOf(answer)).toEqual(unauthenticated)
    }
  )

  it("[C-63] a path without a route is 404 to a login, and 401 to any other credential", async () => {
    const unbuilt = ["/players", "/boards", "/ratings", "/nothing/at/all"].map(project)
    const paths = [...unbuilt, "/v1/fleet/x/rooms"]
    for (const path of [...paths, "/v1/me/nothing", `/v1/projects/${foreign}/players`]) {
      const answer = await ask(service, path, as(service.token))
      expect([path, codeOf(answer)]).toEqual([path, [404, "E_NOT_FOUND"]])
      for (const bearer of ["", "nonsense", writer, revoked]) {
        const refused = await ask(service, path, as(bearer))
        expect([path, codeOf(refused)]).toEqual([path, unauthenticated])
      }
      expect(codeOf(await ask(service, path))).toEqual(unauthenticated)
    }
    for (const path of ["/v1/nothing", "/v2/billing", "/v1/billings", "/nothing"]) {
      expect(codeOf(await ask(service, path, as(writer)))).toEqual([404, "E_NOT_FOUND"])
    }
  })

  it("[D-05] a path is taken as it is written: `..` removes no segment", async () => {
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
