import { isRefusal, isRefused, isSameAnswer, isSuccess } from "../check/Answers.ts"
import { type Check, manyAskedMs, type ProbeOf } from "../check/Check.ts"
import { holds, same } from "../check/Expect.ts"
import type { OwnersDeed } from "../codec/Codecs.ts"
import { rowOf } from "../tables/Tables.ts"
import type { HttpAnswer, HttpRequest } from "../trial/HttpProbe.ts"
import type { MintedKey, Project } from "../trial/Project.ts"
import type { Trial } from "../trial/Trial.ts"
import { isReached } from "./Reached.ts"
import { callOf, keyRouteIds, loginRouteIds, managementRouteIds, noProject } from "./RouteCall.ts"

const identical = () => rowOf("error", "auth.key.other-vs-nonexistent-identical")

/** Who is let in: credentials, their kinds, and whose a project is. */
export const authChecks: ReadonlyArray<Check> = [
  {
    ids: ["auth.bearer-api-key"],
    title: "a key is taken from the header authorization, as Bearer, and from nowhere else",
    timeoutMs: manyAskedMs,
    run: bearerOnly
  },
  {
    ids: ["auth.401.missing"],
    title: "without a key every room route is 401",
    run: async (trial) => {
      const project = await trial.project()
      for (const call of roomCalls(trial, project.id)) {
        isRefusal(trial, await trial.send(call), rowOf("error", "auth.401.missing"))
      }
    }
  },
  {
    ids: ["auth.401.unknown"],
    title: "with a key that nobody minted every room route is 401",
    timeoutMs: manyAskedMs,
    run: async (trial) => {
      const project = await trial.project()
      for (const bearer of unknownKeys(await project.key("rooms:read", "rooms:write"))) {
        for (const call of roomCalls(trial, project.id)) {
          const answer = await trial.send({ ...call, bearer })
          isRefusal(trial, answer, rowOf("error", "auth.401.unknown"))
        }
      }
    }
  },
  {
    ids: ["auth.401.revoked"],
    title: "with a revoked key every room route is 401",
    run: async (trial) => {
      const project = await trial.project()
      const bearer = await revokedKey(project)
      for (const call of roomCalls(trial, project.id)) {
        const answer = await trial.send({ ...call, bearer })
        isRefusal(trial, answer, rowOf("error", "auth.401.revoked"))
      }
    }
  },
  {
    ids: ["auth.401.identical-wording"],
    title: "no key, an unknown key and a revoked key are told the same, to the byte",
    timeoutMs: manyAskedMs,
    run: identicalWording
  },
  {
    ids: ["auth.403.scope"],
    title: "a key without the scope is 403, and the message names the scope",
    run: async (trial) => {
      const project = await trial.project()
      const { secret: bearer } = await project.key("rooms:read")
      for (const id of keyRouteIds) {
        const { scope = "" } = rowOf("route", id)
        if (scope === "rooms:read") continue
        const answer = await trial.send({ ...callOf(trial, id, { project: project.id }), bearer })
        isRefusal(trial, answer, { ...rowOf("error", "auth.403.scope"), naming: scope })
      }
    }
  },
  {
    ids: ["auth.key.other-project-404"],
    title: "a key gets 404 from any project but its own, on every room route",
    run: async (trial) => {
      const [project, sibling, foreign] = await ownAndOthers(trial)
      const { secret: bearer } = await project.key("rooms:read", "rooms:write")
      isSuccess(await project.ask("/rooms", { bearer }))
      for (const other of [sibling, foreign]) {
        for (const call of roomCalls(trial, other.id)) {
          const answer = await trial.send({ ...call, bearer })
          isRefusal(trial, answer, rowOf("error", "auth.key.other-project-404"))
        }
      }
    }
  },
  {
    ids: ["auth.key.other-vs-nonexistent-identical"],
    title: "a project of somebody else answers a key as one that does not exist, to the byte",
    timeoutMs: manyAskedMs,
    run: foreignAsNothing
  },
  {
    ids: ["auth.key.order-404-before-403"],
    title: "a read key learns nothing of another project by asking to write",
    run: async (trial) => {
      const [project, sibling, foreign] = await ownAndOthers(trial)
      const { secret: bearer } = await project.key("rooms:read")
      for (const id of keyRouteIds) {
        const ask = (to: string) => trial.send({ ...callOf(trial, id, { project: to }), bearer })
        const nothing = await ask(noProject(trial))
        for (const other of [sibling, foreign]) {
          isSameAnswer(`${id} of another project`, await ask(other.id), nothing)
        }
        trial.chosen("D-03", () => isRefusal(trial, nothing, identical()))
      }
    }
  },
  {
    ids: [
      ...(["auth.key.cannot.mint", "auth.key.cannot.list", "auth.key.cannot.revoke"] as const),
      "auth.key.cannot.revoke-self",
      "keys.routes.api-key-refused"
    ],
    title: "a key with every scope neither mints nor lists nor revokes keys, itself included",
    run: keysOfKeys
  },
  {
    ids: ["auth.key.cannot.project-patch", "auth.key.cannot.caps"],
    title: "a key with every scope changes no setting, and neither reads nor sets caps",
    run: settingsOfKeys
  },
  { ids: ["auth.key.cannot.deploy"], ...forOwnersOnly("deploy")("auth.key.cannot.deploy") },
  { ids: ["auth.key.cannot.rollback"], ...forOwnersOnly("rollback")("auth.key.cannot.rollback") },
  { ids: ["auth.key.cannot.usage"], ...forOwnersOnly("usage")("auth.key.cannot.usage") },
  { ids: ["auth.key.cannot.billing"], ...forOwnersOnly("billing")("auth.key.cannot.billing") },
  { ids: ["auth.key.cannot.fleet"], ...forOwnersOnly("fleet")("auth.key.cannot.fleet") },
  { ids: ["auth.key.cannot.account"], ...forOwnersOnly("account")("auth.key.cannot.account") },
  { ids: ["auth.key.cannot.cli-token"], ...forOwnersOnly("cliToken")("auth.key.cannot.cli-token") },
  {
    ids: ["auth.login.required"],
    title: "keys, settings and caps take a login, as a token or a session, and nothing else",
    timeoutMs: manyAskedMs,
    run: loginOnly
  },
  {
    ids: ["auth.login.other-account"],
    title: "a stranger's login gets the answer of a project that does not exist, to the byte",
    run: async (trial) => {
      const project = await trial.project()
      for (const id of managementRouteIds) {
        const ask = (to: string) =>
          trial.send({ ...callOf(trial, id, { project: to }), bearer: trial.login(1) })
        const [foreign, nothing] = [await ask(project.id), await ask(noProject(trial))]
        isRefused(foreign)
        trial.chosen("D-03", () => {
          isRefusal(trial, foreign, rowOf("error", "auth.login.other-account"))
          isSameAnswer(`${id} of a stranger's project`, foreign, nothing)
        })
      }
    }
  },
  {
    ids: ["project.id.public"],
    title: "the id of a project opens no route of its management",
    run: async (trial) => {
      const project = await trial.project()
      for (const id of managementRouteIds) {
        const call = callOf(trial, id, { project: project.id })
        const answer = await trial.send({ ...call, bearer: project.id })
        isRefusal(trial, answer, rowOf("error", "error.http.E_UNAUTHENTICATED"))
      }
    }
  }
]

async function bearerOnly(trial: Trial): Promise<void> {
  const project = await trial.project()
  const { secret } = await project.key("rooms:read", "rooms:write")
  for (const id of keyRouteIds) {
    const call = callOf(trial, id, { project: project.id })
    isReached(trial, await trial.send({ ...call, headers: { authorization: `Bearer ${secret}` } }))
    const elsewhere: ReadonlyArray<Pick<HttpRequest, "headers">> = [
      { headers: { authorization: secret } },
      { headers: { authorization: `Basic ${secret}` } },
      { headers: { authorization: `Basic ${Buffer.from(`${secret}:`).toString("base64")}` } },
      { headers: { authorization: `Token ${secret}` } },
      { headers: { authorization: `Bearer${secret}` } },
      { headers: { "x-api-key": secret } },
      { headers: { cookie: `authorization=Bearer ${secret}; api_key=${secret}` } }
    ]
    const inQuery = ["api_key", "access_token", "key", "authorization"].map((name) => ({
      path: `${call.path}?${name}=${secret}`
    }))
    for (const wrong of [...elsewhere, ...inQuery]) {
      const answer = await trial.send({ ...call, ...wrong })
      isRefusal(trial, answer, rowOf("error", "auth.401.missing"))
    }
  }
  const lower = await project.ask("/rooms", {
    headers: { authorization: `bearer ${secret}` },
    bearer: null
  })
  trial.chosen("D-03", () => isSuccess(lower))
}

async function identicalWording(trial: Trial): Promise<void> {
  const project = await trial.project()
  const key = await project.key("rooms:read", "rooms:write")
  const revoked = await revokedKey(project)
  for (const call of roomCalls(trial, project.id)) {
    const missing = await trial.send(call)
    isRefusal(trial, missing, rowOf("error", "auth.401.identical-wording"))
    for (const bearer of [revoked, ...unknownKeys(key)]) {
      const answer = await trial.send({ ...call, bearer })
      same("the message", trial.codecs.error(answer), trial.codecs.error(missing))
      trial.chosen("D-03", () => isSameAnswer("the answer", answer, missing))
    }
    trial.chosen("D-03", () => same("the challenge", missing.headers["www-authenticate"], "Bearer"))
  }
}

async function foreignAsNothing(trial: Trial): Promise<void> {
  const [project, sibling, foreign] = await ownAndOthers(trial)
  const { secret: bearer } = await project.key("rooms:read", "rooms:write")
  for (const id of keyRouteIds) {
    const ask = (to: string) => trial.send({ ...callOf(trial, id, { project: to }), bearer })
    const nothing = await ask(noProject(trial))
    isRefusal(trial, nothing, identical())
    for (const { id: other } of [sibling, foreign]) {
      const answer = await ask(other)
      isSameAnswer(`${id} of another project`, answer, nothing)
      holds("the id is not told", !answer.text.includes(other), answer.text)
    }
    for (const answer of await Promise.all(malformedIds(project.id).map(ask))) {
      trial.chosen("D-05", () => isSameAnswer(`${id} of a malformed id`, answer, nothing))
    }
  }
  // Whatever else is wrong with the request tells nothing either.
  const list = (to: string) =>
    trial.send({ method: "GET", path: `/v1/projects/${to}/rooms?x=1`, bearer })
  isSameAnswer("a bad request", await list(foreign.id), await list(noProject(trial)))
}

async function keysOfKeys(trial: Trial): Promise<void> {
  const project = await trial.project()
  const [key, other] = [
    await project.key("rooms:read", "rooms:write"),
    await project.key("rooms:read")
  ]
  const { secret: bearer } = key
  const before = await project.ask("/keys")
  const body = { scopes: ["rooms:read"], label: "by a key" }
  const answers = [
    await project.ask("/keys", { method: "POST", bearer, body }),
    await project.ask("/keys", { bearer }),
    await project.ask(`/keys/${other.keyId}`, { method: "DELETE", bearer }),
    await project.ask(`/keys/${key.keyId}`, { method: "DELETE", bearer })
  ]
  for (const answer of answers) isRefusal(trial, answer, rowOf("error", "auth.key.cannot.mint"))
  const after = await project.ask("/keys")
  same("the keys afterwards", after.json, before.json)
  isSuccess(await project.ask("/rooms", { bearer }))
  isSuccess(await project.ask("/rooms", { bearer: other.secret }))
  isSuccess(await project.ask(`/keys/${other.keyId}`, { method: "DELETE" }))
}

async function settingsOfKeys(trial: Trial): Promise<void> {
  const project = await trial.project()
  const { secret: bearer } = await project.key("rooms:read", "rooms:write")
  const before = await project.ask("/caps")
  isSuccess(before)
  const { name } = project
  const caps = trial.codecs.capsBody({ roomHours: 1 })
  const answers = [
    await project.ask("", { method: "PATCH", bearer, body: { name, connectionsPerIpPerMin: 7 } }),
    await project.ask("/caps", { bearer }),
    await project.ask("/caps", { method: "PATCH", bearer, body: caps })
  ]
  for (const answer of answers) {
    isRefusal(trial, answer, rowOf("error", "auth.key.cannot.project-patch"))
  }
  same("the caps afterwards", (await project.ask("/caps")).json, before.json)
  isSuccess(await project.ask("/caps", { method: "PATCH", body: caps }))
  const read = await project.ask("", { method: "PATCH", body: { name } })
  isSuccess(read)
  holds("the setting is not set", Object(read.json)["connectionsPerIpPerMin"] !== 7, read.text)
}

function forOwnersOnly(deed: OwnersDeed): ProbeOf {
  return (id) => ({
    title: `a key with every scope is 401 where the owner goes on: ${deed}`,
    run: (trial) => ownersOnly(trial, id, deed)
  })
}

async function ownersOnly(trial: Trial, id: string, deed: OwnersDeed): Promise<void> {
  const project = await trial.project()
  const { secret: bearer } = await project.key("rooms:read", "rooms:write")
  const call = trial.codecs.ownersCalls(project.id)[deed]
  isRefusal(trial, await trial.send({ ...call, bearer }), rowOf("error", id))
  for (const more of beside[deed]?.(project.id) ?? []) {
    const refused = await trial.send({ ...more, bearer })
    trial.chosen("D-40", () => isRefusal(trial, refused, rowOf("error", id)))
  }
  // The kind of the credential is what is refused: its owner's login gets past it.
  const { status } = await trial.send({ ...call, bearer: project.login })
  holds("the owner's login is let through", status !== 401 && status !== 403, status)
  const isThere = status < 300 || status === 400 || status === 409
  if (isThere) trial.saw(`behaviour the owner's ${deed}`)
}

async function loginOnly(trial: Trial): Promise<void> {
  const project = await trial.project()
  const key = await project.key("rooms:read", "rooms:write")
  const spare = await project.key("rooms:read")
  const started = await trial.send(trial.codecs.sessionCall(project.login))
  const session = trial.codecs.session(started)
  trial.chosen("D-23", () =>
    holds("a session starts with a login", session !== null, started.status)
  )
  for (const id of loginRouteIds) {
    const parts = { project: project.id, projectName: project.name, keyId: spare.keyId }
    const call = callOf(trial, id, parts)
    const wrong = [key.secret, project.id, ...unknownKeys({ secret: project.login })]
    for (const request of [call, ...wrong.map((bearer) => ({ ...call, bearer }))]) {
      isRefusal(trial, await trial.send(request), rowOf("error", "error.http.E_UNAUTHENTICATED"))
    }
    if (session !== null) isSuccess(await trial.send({ ...call, bearer: session }))
    isSuccess(await trial.send({ ...call, bearer: project.login }))
  }
}

/** Further calls that only a login may make: what is behind them is our choice. */
const beside: Partial<Record<OwnersDeed, (project: string) => ReadonlyArray<HttpRequest>>> = {
  deploy: (project) => [{ method: "GET", path: `/v1/projects/${project}/deployments` }],
  account: (project) => [
    { method: "GET", path: "/v1/projects" },
    { method: "POST", path: "/v1/projects", body: { name: "by a key" } },
    { method: "GET", path: `/v1/projects/${project}` },
    { method: "DELETE", path: `/v1/projects/${project}` },
    { method: "PUT", path: `/v1/projects/${project}/name`, body: { name: "by a key" } },
    { method: "POST", path: `/v1/projects/${project}/jwt-secret`, body: { rotate: true } },
    { method: "GET", path: `/v1/projects/${project}/logs` },
    { method: "GET", path: `/v1/projects/${project}/metrics` }
  ],
  cliToken: () => [{ method: "DELETE", path: "/v1/me/tokens/any" }]
}

/** A project of account 0, another of it, and one of account 1. */
const ownAndOthers = (trial: Trial): Promise<readonly [Project, Project, Project]> =>
  Promise.all([trial.project(), trial.project(), trial.project(1)])

const roomCalls = (trial: Trial, project: string): ReadonlyArray<HttpRequest> =>
  keyRouteIds.map((id) => callOf(trial, id, { project }))

const revokedKey = async (project: Project): Promise<string> => {
  const { keyId, secret } = await project.key("rooms:read", "rooms:write")
  const revoked: HttpAnswer = await project.ask(`/keys/${keyId}`, { method: "DELETE" })
  isSuccess(revoked)
  return secret
}

/** Like a secret, and none: from one of its own form to nothing at all. */
const unknownKeys = ({ secret }: Pick<MintedKey, "secret">): ReadonlyArray<string> => {
  const last = secret.endsWith("A") ? "B" : "A"
  const [prefix, tail] = [secret.slice(0, -43), secret.slice(-43)]
  const unknown = [
    `${secret.slice(0, -1)}${last}`,
    secret.slice(0, -1),
    `${secret}A`,
    `${prefix}${"A".repeat(43)}`,
    tail,
    prefix,
    `x${secret}`,
    "x"
  ]
  // A login may be shorter than a key's secret: then it has no prefix, and is its own end.
  return unknown.filter((text) => text !== secret && text !== "")
}

const malformedIds = (id: string): ReadonlyArray<string> => [
  id.slice(0, -1),
  `${id}0`,
  id.toUpperCase(),
  `p_${"g".repeat(16)}`,
  `q_${"0".repeat(16)}`,
  "x",
  "%20",
  "%00",
  "%F0%9F%98%80",
  "..%2f..",
  "x".repeat(300)
]
