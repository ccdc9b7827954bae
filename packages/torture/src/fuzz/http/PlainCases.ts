import type { Chance } from "@atrium/api/testing/Chance"

import { mutate } from "../Mutation.ts"
import {
  asking,
  badRequest,
  type Expectation,
  type HttpAsk,
  type PlainCase,
  refusedWith,
  unauthenticated
} from "./HttpCase.ts"
import { bytesOf, type HttpDraft, withHeader } from "./HttpDraft.ts"
import type { HttpStage } from "./HttpStage.ts"

const notFound = refusedWith(404, "E_NOT_FOUND")
const notThis = refusedWith(405, "E_METHOD_NOT_ALLOWED")

/** Paths that no route has, and to which a login would be needed if one had. Source: C-63. */
const guardedPaths = (project: string): ReadonlyArray<string> => [
  "/v1/projects//",
  "/v1/projects/x/y/z",
  "/v1/billing/card",
  "/v1/fleet/servers/1",
  "/v1/me/",
  "/v1/me/nothing",
  "/v1/me/tokens/a/b",
  `/v1/projects/${project}/players`,
  `/v1/projects/${project}/rooms/r/saves/s`,
  `/v1/projects/${project}/keys/k/secret`,
  `/v1/projects/${project}/%zz/y`,
  `/v1/projects/${project}/../../me/x`,
  "/v1/me/%00/x"
]

/** Paths that nobody has. */
const freePaths: ReadonlyArray<string> = [
  "//",
  "/v1",
  "/v1/",
  "/v2/projects",
  "/V1/projects",
  "/v1/Projects",
  "//v1/projects",
  "/v1//me",
  "/v1/me;x",
  "/v1/me%2f",
  "/v1%2fme",
  "/%76%31/none",
  "/v1/identity/",
  "/v1/identity/x",
  "/health/",
  "/HEALTH",
  "/health%00",
  "/healthz",
  "/metrics/x",
  "/ready/..",
  "/login/",
  "/login.html",
  "/docs/",
  "/openapi.yaml",
  "/.env",
  "/.git/config",
  "/../../etc/passwd",
  "/%2e%2e/%2e%2e/etc/passwd",
  "/wp-login.php",
  "/cgi-bin/x?y",
  "/%00",
  "/%",
  "/%zz",
  "/%ff",
  "/%e2%98%83",
  "/v1/rooms",
  "/v1/rooms/p/r",
  "*",
  "/match/",
  "/v1/match",
  `/${"x".repeat(8e3)}`,
  `/${"a/".repeat(4e3)}`
]

/** What operators and people ask. */
const openPaths: ReadonlyArray<string> = [
  "/health",
  "/ready",
  "/metrics",
  "/openapi.json",
  "/docs",
  "/login"
]

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"]

const draftOf = (stage: HttpStage, method: string, target: string): HttpDraft => ({
  method,
  target,
  headers: [["host", new URL(stage.url).host]],
  framing: null,
  body: method === "GET" || method === "DELETE" ? null : Buffer.from('{"a":1}')
})

const logged = (draft: HttpDraft, secret: string): HttpDraft =>
  withHeader(draft, "authorization", `Bearer ${secret}`)

const plain = (name: string, weight: number, ask: PlainCase["ask"]): PlainCase => ({
  name: `plain: ${name}`,
  weight,
  ask
})

/** A request whose bytes were changed somewhere: whatever it is now, it changes nothing. */
const mutated = (stage: HttpStage, chance: Chance): HttpAsk => {
  const target = chance.pick([
    "/health",
    "/v1/nothing",
    "/v1/projects?zz=1",
    "/v1/lobby?project=x",
    "/v1/leaderboard/kills/top?project=x",
    "/v1/me"
  ])
  const draft = draftOf(stage, "GET", target)
  const others = [
    Buffer.from("\r\n\r\n"),
    Buffer.from("GET / HTTP/1.1\r\n"),
    Buffer.from("content-length: 5\r\n")
  ]
  const bytes = mutate(chance, bytesOf(draft), others)
  // To nothing there is no answer; to nothing but empty lines neither.
  const silent = /^[\r\n]*$/.test(bytes.toString("latin1"))
  const statuses = silent ? [0] : [200, 204, 400, 401, 404, 405, 408, 413, 431]
  const expects: Expectation = { statuses, code: null, names: null, ends: false }
  return { ...asking(draft, expects), bytes, halfCloses: true }
}

/** Requests that name no route of the contract. */
export const plainCases: ReadonlyArray<PlainCase> = [
  plain("a path of nobody's", 20, (stage, chance) => {
    const draft = draftOf(stage, chance.pick(methods), chance.pick(freePaths))
    return asking(chance.one(2) ? draft : logged(draft, stage.secrets.login), notFound)
  }),
  plain("a path that is not there yet, without a login", 10, (stage, chance) => {
    const draft = draftOf(stage, chance.pick(methods), chance.pick(guardedPaths(stage.project)))
    const { writeKey, revokedLogin } = stage.secrets
    return asking(
      chance.one(2) ? draft : logged(draft, chance.pick([writeKey, revokedLogin, "x"])),
      unauthenticated
    )
  }),
  plain("a path that is not there yet", 10, (stage, chance) => {
    const draft = draftOf(stage, chance.pick(methods), chance.pick(guardedPaths(stage.project)))
    return asking(logged(draft, stage.secrets.login), notFound)
  }),
  plain("a write to what is only read", 10, (stage, chance) => {
    const method = chance.pick(methods.filter((each) => each !== "GET"))
    return asking(draftOf(stage, method, chance.pick(openPaths)), { ...notThis, names: method })
  }),
  plain("junk to what anybody reads", 10, (stage, chance) => {
    const query = chance.pick([
      "?x",
      "?__proto__=1",
      "?%zz",
      `?${"x".repeat(8_000)}`,
      "?a=1&a=2",
      "??",
      "?;#"
    ])
    const draft = draftOf(stage, "GET", `${chance.pick(openPaths)}${query}`)
    const odd = withHeader(draft, chance.pick(["range", "if-none-match", "accept", "cookie"]), "*")
    return asking(odd, { ...notFound, statuses: [200], code: null })
  }),
  plain("bytes changed somewhere", 60, mutated),
  // Not RTSP/1.0: Node's parser takes it for HTTP/1.0, and does not tell.
  plain("another version of HTTP", 10, (stage, chance) => {
    const version = chance.pick([
      "HTTP/0.9",
      "HTTP/1.2",
      "HTTP/2.0",
      "HTTP/3.0",
      "HTTP/1",
      "HTTP/11",
      "http/1.1",
      "HTTPS/1.1",
      "ICE/1.0",
      ""
    ])
    const bytes = bytesOf(draftOf(stage, "GET", "/health"))
      .toString("latin1")
      .replace("HTTP/1.1", version)
    return {
      ...asking(draftOf(stage, "GET", "/health"), { ...badRequest, ends: true }),
      bytes: Buffer.from(bytes, "latin1")
    }
  })
]
