import { isRefusal, isRefused, isSuccess } from "../check/Answers.ts"
import type { Check, Probe } from "../check/Check.ts"
import { holds, same } from "../check/Expect.ts"
import { fitsShape } from "../check/FitsShape.ts"
import { rowOf } from "../tables/Tables.ts"
import { AudienceStage } from "../trial/AudienceStage.ts"
import type { HttpAnswer, HttpRequest } from "../trial/HttpProbe.ts"
import { board } from "../trial/RelayStage.ts"
import { roomStage } from "../trial/RoomStage.ts"
import type { Trial } from "../trial/Trial.ts"
import {
  callOf,
  loginRouteIds,
  type ManagementRouteId,
  managementRouteIds,
  noProject
} from "./RouteCall.ts"

type Look = (trial: Trial, answer: HttpAnswer) => void

/** What each route of keys, settings and caps answers, as far as it is shown. */
const loginBodies: Readonly<Record<(typeof loginRouteIds)[number], Look>> = {
  "route.keys.mint": ({ codecs }, { json, text }) =>
    holds("a key with its secret", codecs.minted(json) !== null, text),
  "route.keys.list": (_, { json, text }) => holds("an array", Array.isArray(json), text),
  "route.keys.revoke": (trial, { json, text }) =>
    trial.chosen("D-19", () => holds("a revoked row", trial.codecs.revokedAt(json) !== null, text)),
  "route.project.patch": (trial, { json, text }) =>
    holds("the project", trial.codecs.projectId(json) !== null, text),
  "route.caps.patch": (trial, answer) => trial.chosen("D-10", () => hasMeters(trial, answer)),
  "route.caps.get": (trial, answer) => hasMeters(trial, answer)
}

const roomRouteIds = [
  "route.rooms.list",
  "route.rooms.get",
  "route.rooms.patch",
  "route.rooms.delete"
] as const

/** Every route of the specification, with the credential that it takes and with each that it does not. */
export const routeChecks: ReadonlyArray<Check> = [
  { ids: ["route.keys.mint"], ...takesALogin("route.keys.mint") },
  { ids: ["route.keys.list"], ...takesALogin("route.keys.list") },
  { ids: ["route.keys.revoke"], ...takesALogin("route.keys.revoke") },
  { ids: ["route.project.patch"], ...takesALogin("route.project.patch") },
  { ids: ["route.caps.patch"], ...takesALogin("route.caps.patch") },
  { ids: ["route.caps.get"], ...takesALogin("route.caps.get") },
  { ids: ["route.rooms.list"], ...takesAKey("route.rooms.list") },
  { ids: ["route.rooms.get"], ...takesAKey("route.rooms.get") },
  { ids: ["route.rooms.patch"], ...takesAKey("route.rooms.patch") },
  { ids: ["route.rooms.delete"], ...takesAKey("route.rooms.delete") },
  {
    ids: ["route.identity.mint", "auth.open.anyone-with-id"],
    title: "an identity takes the project's id and no credential; every mint is another player",
    run: identityMint
  },
  {
    ids: ["overview.routes-cover-management"],
    title: "rooms, saves, keys, settings and caps have their thirteen routes",
    run: thirteenRoutes
  },
  {
    ids: ["overview.open-endpoints-browser"],
    title: "a page on localhost may call open endpoints, and reads their answers",
    run: fromBrowsers
  },
  {
    ids: ["overview.open-endpoints-browser"],
    needs: ["audience", "relay", "fixture"],
    title: "a page on localhost may ask for an audience credential, and reads it",
    run: async (trial) => {
      const watched = await AudienceStage.of(trial)
      await watched.stage.client("watched", board)
      const { project } = watched.stage
      const asked = { project: project.id, room: "watched", identity: "", board: "", assertion: "" }
      const call = trial.codecs.openCall("audience.mint", asked)
      isReadable(trial, await trial.send({ ...call, headers: { origin: pageOrigin } }))
    }
  },
  {
    ids: ["version.v1-prefix"],
    title: "without /v1 no path of the API leads anywhere",
    run: prefixed
  }
]

function pathOf(id: ManagementRouteId): string {
  const { method, path } = rowOf("route", id)
  return `${method} ${path}`
}

function takesALogin(id: string): Probe {
  const route = loginRouteIds.find((known) => known === id)
  if (route === undefined) throw new Error(`${id} is no route of a login`)
  return {
    title: `${pathOf(route)} takes the owner's login and no other credential`,
    run: (trial) => loginRoute(trial, route)
  }
}

function takesAKey(id: string): Probe {
  const route = roomRouteIds.find((known) => known === id)
  if (route === undefined) throw new Error(`${id} is no route of a room`)
  return {
    title: `${pathOf(route)} takes a key of the project with the scope and no other`,
    needs: ["fixture"],
    run: (trial) => roomRoute(trial, route)
  }
}

async function loginRoute(trial: Trial, id: (typeof loginRouteIds)[number]): Promise<void> {
  const project = await trial.project()
  const foreign = await trial.project(1)
  const key = await project.key("rooms:read", "rooms:write")
  const { keyId } = await project.key("rooms:read")
  const call = callOf(trial, id, { project: project.id, projectName: project.name, keyId })
  const answer = await trial.send({ ...call, bearer: project.login })
  succeeds(trial, id, answer)
  loginBodies[id](trial, answer)
  for (const credential of [{}, { bearer: key.secret }, { bearer: "unknown" }, { bearer: keyId }]) {
    const refused = await trial.send({ ...call, ...credential })
    isRefusal(trial, refused, rowOf("error", "error.http.E_UNAUTHENTICATED"))
  }
  const stranger = await trial.send({ ...call, bearer: foreign.login })
  isRefused(stranger)
  const refused = () => isRefusal(trial, stranger, rowOf("error", "error.http.E_NOT_FOUND"))
  trial.chosen("D-03", refused)
}

async function roomRoute(trial: Trial, id: (typeof roomRouteIds)[number]): Promise<void> {
  const [stage, foreign] = [await roomStage(trial), await trial.project(1)]
  const { project } = stage
  await stage.client("there")
  await stage.counted("there", 1)
  const { scope = "rooms:read" } = rowOf("route", id)
  const [key, other] = [await project.key(scope), await foreign.key("rooms:read", "rooms:write")]
  const plain = callOf(trial, id, { project: project.id, room: "there" })
  const call = id === "route.rooms.delete" ? { ...plain, path: `${plain.path}?force=true` } : plain
  for (const credential of [{}, { bearer: "unknown" }, { bearer: key.keyId }]) {
    const refused = await trial.send({ ...call, ...credential })
    isRefusal(trial, refused, rowOf("error", "error.http.E_UNAUTHENTICATED"))
  }
  const stranger = await trial.send({ ...call, bearer: other.secret })
  isRefusal(trial, stranger, rowOf("error", "error.http.E_NOT_FOUND"))
  if (scope === "rooms:write") {
    const { secret: bearer } = await project.key("rooms:read")
    const refused = await trial.send({ ...call, bearer })
    isRefusal(trial, refused, { ...rowOf("error", "error.http.E_SCOPE"), naming: scope })
  }
  const answer = await trial.send({ ...call, bearer: key.secret })
  succeeds(trial, id, answer)
  hasRoomShape(trial, id, answer)
}

const hasRoomShape = (
  trial: Trial,
  id: (typeof roomRouteIds)[number],
  { json, text }: HttpAnswer
): void => {
  const shapes = {
    "route.rooms.list": "rooms.row.exact-keys",
    "route.rooms.get": "rooms.detail.exact-keys",
    "route.rooms.patch": "rooms.detail.exact-keys",
    "route.rooms.delete": "rooms.delete.result.roomId"
  } as const
  const shape = rowOf("shape", shapes[id])
  const values: ReadonlyArray<unknown> = Array.isArray(json) ? json : [json]
  if (id === "route.rooms.list") holds("an array with the room", values.length === 1, text)
  for (const value of values) {
    fitsShape(trial, shape, Object(value))
    same("the room", Object(value)["roomId"], "there")
  }
}

async function identityMint(trial: Trial): Promise<void> {
  const [project, foreign] = [await trial.project(), await trial.project(1)]
  const { method, path } = rowOf("route", "route.identity.mint")
  if (method !== "POST") throw new Error(`the row says ${method}`)
  const mint = (id: string, request: Partial<HttpRequest> = {}): Promise<HttpAnswer> =>
    trial.send({ method, path, body: trial.codecs.identityBody(id), ...request })
  const anyone = [{}, { bearer: "unknown" }, { bearer: trial.login(1) }]
  const players = await Promise.all(
    anyone.map(async (credential) => {
      const answer = await mint(project.id, credential)
      succeeds(trial, "route.identity.mint", answer)
      const identity = trial.codecs.identity(answer.json)
      holds("an identity", identity !== null, answer.text)
      return identity?.playerId
    })
  )
  isSuccess(await mint(foreign.id))
  same("different players", new Set(players).size, anyone.length)
  const unknown = await mint(noProject(trial))
  trial.chosen("D-26", () => isRefusal(trial, unknown, rowOf("error", "error.http.E_NOT_FOUND")))
}

async function thirteenRoutes(trial: Trial): Promise<void> {
  const project = await trial.project()
  const { keyId } = await project.key("rooms:read")
  const nothing = await project.ask("/no-such-route")
  const thirteen = managementRouteIds.filter((id) => rowOf("route", id).credential !== "project")
  same("how many routes there are", thirteen.length, 13)
  for (const id of thirteen) {
    const call = callOf(trial, id, { project: project.id, projectName: project.name, keyId })
    const answer = await trial.send({ ...call, bearer: project.login })
    if (rowOf("route", id).credential === "login" || id === "route.rooms.list") isSuccess(answer)
    else isRefusal(trial, answer, rowOf("error", "error.http.E_ROOM_NOT_FOUND"))
    holds(`${id} is no path without a route`, answer.text !== nothing.text, answer.text)
  }
}

/** Of a page on the machine of its developer. */
const pageOrigin = "http://localhost:5173"

const isReadable = (trial: Trial, answer: HttpAnswer): void => {
  isSuccess(answer)
  const allowed = answer.headers["access-control-allow-origin"]
  holds("the page may read it", allowed === pageOrigin || allowed === "*", answer.headers)
  trial.chosen("D-30", () => {
    same("the origin is echoed", allowed, pageOrigin)
    holds("vary: origin", /\borigin\b/i.test(answer.headers["vary"] ?? ""), answer.headers)
  })
}

async function fromBrowsers(trial: Trial): Promise<void> {
  const project = await trial.project()
  const origin = pageOrigin
  const readable = (answer: HttpAnswer): void => isReadable(trial, answer)
  const { path } = rowOf("route", "route.identity.mint")
  const preflight = await trial.send({
    method: "OPTIONS",
    path,
    headers: {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "content-type"
    }
  })
  readable(preflight)
  const taken = preflight.headers["access-control-allow-headers"] ?? ""
  holds("JSON may be sent", taken === "*" || /\bcontent-type\b/i.test(taken), preflight.headers)
  const body = trial.codecs.identityBody(project.id)
  readable(await trial.send({ method: "POST", path, body, headers: { origin } }))
  const bad = await trial.send({ method: "POST", path, body: {}, headers: { origin } })
  const readableRefusal = bad.headers["access-control-allow-origin"]
  trial.chosen("D-30", () => same("refusals are read, too", readableRefusal, origin))
  const lobby = trial.codecs.lobbyPath(project.id)
  const rooms = await trial.send({ method: "GET", path: lobby, headers: { origin } })
  trial.chosen("D-21", () => readable(rooms))
  await managementStaysClosed(trial, { project: project.id, login: project.login, origin })
}

/** Pages of other origins are for games: what the owner reads, they do not. */
const managementStaysClosed = async (
  trial: Trial,
  asked: { readonly project: string; readonly login: string; readonly origin: string }
): Promise<void> => {
  const { origin, login: bearer, project } = asked
  for (const id of ["route.rooms.list", "route.keys.list", "route.caps.get"] as const) {
    const call = callOf(trial, id, { project })
    const headers = { origin, "access-control-request-method": call.method }
    const answers = [
      await trial.send({ ...call, headers: { origin }, bearer }),
      await trial.send({ method: "OPTIONS", path: call.path, headers })
    ]
    trial.chosen("D-30", () => {
      for (const { headers: sent } of answers) {
        same(`${id} for pages`, sent["access-control-allow-origin"], undefined)
      }
    })
  }
}

async function prefixed(trial: Trial): Promise<void> {
  const project = await trial.project()
  const { prefix = "" } = rowOf("statement", "version.v1-prefix").is ?? {}
  const nothing = await trial.send({ method: "GET", path: "/no/such/path", bearer: project.login })
  same("a path that leads nowhere", nothing.status, 404)
  const open = [
    ["POST", "/v1/identity", []],
    ["POST", "/v1/identity/assertion", ["assertions"]],
    ["GET", "/v1/leaderboard/any/top", ["boards"]],
    ["GET", "/v1/account", ["accounts"]],
    ["GET", "/v1/presence", ["presence"]],
    ["POST", "/v1/audience", ["audience"]]
  ] as const
  const calls: ReadonlyArray<readonly [HttpRequest, ReadonlyArray<string>]> = [
    ...managementRouteIds.map((id) => [callOf(trial, id, { project: project.id }), []] as const),
    ...open.map(([method, path, features]) => {
      const body = method === "POST" ? { body: trial.codecs.identityBody(project.id) } : {}
      return [{ method, path, ...body }, features] as const
    })
  ]
  for (const [call, features] of calls) {
    holds(
      `${call.path} is under ${String(prefix)}`,
      call.path.startsWith(`${String(prefix)}/`),
      call.path
    )
    const path = call.path.slice(String(prefix).length)
    for (const credential of [{}, { bearer: project.login }]) {
      const bare = await trial.send({ ...call, path, ...credential })
      same(`${call.method} ${path}: the status`, bare.status, 404)
    }
    if (!features.every((feature) => trial.config.features.includes(feature))) continue
    const there = await trial.send({ ...call, bearer: project.login })
    holds(`${call.method} ${call.path} leads somewhere`, there.text !== nothing.text, there.text)
  }
}

const succeeds = (trial: Trial, id: string, answer: HttpAnswer): void => {
  isSuccess(answer)
  trial.chosen("D-01", () => same(`${id}: the status`, answer.status, rowOf("route", id).success))
}

const hasMeters = ({ codecs }: Trial, { json, text }: HttpAnswer): void =>
  holds("a view of meters", codecs.cap(json, "roomHours") !== null, text)
