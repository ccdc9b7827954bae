import { createHmac } from "node:crypto"

import { as, ask, mintKey } from "@atrium/api/testing/KeysUnderTest"
import { board } from "@atrium/api/testing/rooms/boardSchema"
import { recorded } from "@atrium/api/testing/rooms/recordedSchema"
import { roomsOf } from "@atrium/api/testing/RoomsUnderTest"
import {
  beginRehearsal,
  bundleOfRooms,
  call,
  deploy,
  type RunningService
} from "@atrium/api/testing/RunningService"
import { until } from "@atrium/domain/testing/Until"

import type { OpenApi } from "./HttpRoute.ts"
import type { Hints, Named } from "./JsonSchema.ts"
import { makeSite, siteFileBytes } from "./SiteStage.ts"

/** Every kind of secret there is: none may be told again, whatever is asked with it. */
export interface Secrets {
  readonly login: string
  readonly session: string
  readonly revokedLogin: string
  readonly strangersLogin: string
  readonly writeKey: string
  readonly readKey: string
  readonly foreignKey: string
  readonly revokedKey: string
  readonly identity: string
  readonly deviceCode: string
  readonly invitationCode: string
}

/** A service with something of everything in it, that none of the requests may change. */
export interface HttpStage {
  readonly url: string
  readonly openApi: OpenApi
  /** The schemas that others refer to. */
  readonly named: Named
  readonly project: string
  readonly secrets: Secrets
  /** Values of path parameters, by name. A parameter without an entry gets an id that names nothing. */
  readonly ids: Readonly<Record<string, string>>
  /** The same of another account. */
  readonly foreignIds: Readonly<Record<string, string>>
  /** Values of the fields of a body or query, by name. */
  readonly hints: Hints
  /** Values that replace the hints on one route, by its path. */
  readonly hintsOfPath: Readonly<Record<string, Hints>>
  /** The content that the open upload of the project's site waits for. */
  readonly siteFile: Buffer
}

type Service = Pick<RunningService, "url" | "token" | "project">

const post = async (
  url: string,
  path: string,
  request: { token?: string; body?: unknown; method?: string }
) => {
  const { status, body } = await call(url, path, { method: "POST", ...request })
  if (status >= 300) throw new Error(`${path} is ${status}: ${JSON.stringify(body)}`)
  return (field: string): string => {
    const value = body[field]
    if (typeof value !== "string") throw new Error(`${path} gave no ${field}`)
    return value
  }
}

const device = async ({ url }: Service) => {
  const started = await post(url, "/v1/login/device", { body: { label: "fuzzed" } })
  return { deviceCode: started("deviceCode"), userCode: started("userCode") }
}

/** A CLI token, as `atrium login` gets it. */
const cliToken = async (service: Service) => {
  const { url, token } = service
  const { deviceCode, userCode } = await device(service)
  await post(url, "/v1/login/approve", { token, body: { userCode, allow: true } })
  const taken = await post(url, "/v1/login/token", { body: { deviceCode } })
  return { token: taken("token"), tokenId: taken("tokenId") }
}

const invitation = async (service: Service) => {
  const { url, token } = service
  const made = await post(url, "/v1/me/invitations", { token, body: { name: "guest" } })
  return { invitationId: made("invitationId"), code: made("code") }
}

const session = async ({ url }: Service, token: string): Promise<string> => {
  const answer = await ask(
    { url },
    "/v1/login/session",
    as("", { method: "POST", body: { token } })
  )
  const [, secret] = /^atrium_session=([^;]+)/.exec(answer.headers.get("set-cookie") ?? "") ?? []
  if (secret === undefined) throw new Error(`no session: ${answer.text}`)
  return secret
}

/** A room that sleeps, and one of its saves. */
const room = async (service: Service, roomId: string) => {
  const rooms = roomsOf(service)
  await rooms.asleep(roomId, 3)
  const { body } = await rooms.ask(`/${roomId}/saves`)
  const [saveId] = Object.values(body).map((save) => Object(save)["saveId"])
  if (typeof saveId !== "string") throw new Error(`no save: ${JSON.stringify(body)}`)
  return { roomId, saveId }
}

/** A player with an entry of KV. */
const kept = async ({ url, token, project }: Service) => {
  const playerId = "pl_kept"
  const body = { key: "kept", value: 5 }
  await post(url, `/v1/projects/${project}/players/${playerId}/kv/entry`, {
    token,
    method: "PUT",
    body
  })
  return { playerId }
}

/** All room types of the stage's projects. */
export const roomFiles = ["rooms/probe.ts", "rooms/single.ts", "rooms/recorded.ts"]

/** A rehearsal that is over. */
const rehearsed = async (service: Service) => {
  const begun = await beginRehearsal(service, await bundleOfRooms(roomFiles))
  if (begun.status >= 300) throw new Error(`not rehearsed: ${JSON.stringify(begun)}`)
  const rehearsalId = String(begun.body["rehearsalId"])
  const path = `/v1/projects/${service.project}/rehearsals/${rehearsalId}`
  await until("the rehearsal is over", async () => {
    const { body } = await call(service.url, path, { token: service.token })
    return body["state"] === "passed"
  })
  return { rehearsalId }
}

/** Makes the things of one account: a room, a save, a rehearsal, a key, another login, an invitation, a site. */
const belongings = async (service: Service, roomId: string) => {
  const { keyId } = await mintKey(service, ["rooms:read"])
  const { tokenId } = await cliToken(service)
  const { invitationId } = await invitation(service)
  const { saveId } = await room(service, roomId)
  const { label, upload, file, hash } = await makeSite(service, roomId)
  const { playerId } = await kept(service)
  const { rehearsalId } = await rehearsed(service)
  const own = { id: service.project, version: "1", roomId, saveId, playerId, rehearsalId }
  const ids = { ...own, keyId, tokenId, invitationId, upload, hash }
  return { ids, file, label }
}

const makeStranger = async (service: Service): Promise<Service> => {
  const { url } = service
  const { code } = await invitation(service)
  const accepted = await post(url, "/v1/login/invitation", { body: { code, name: "stranger" } })
  const token = accepted("token")
  const made = await post(url, "/v1/projects", { token, body: { name: "theirs" } })
  const stranger = { url, token, project: made("id") }
  const deployed = await deploy(stranger, ["rooms/probe.ts"])
  if (deployed.status >= 300) throw new Error(`not deployed: ${JSON.stringify(deployed)}`)
  return stranger
}

/** A project of the account whose relay rooms may be watched, and such a room, which sleeps. */
const makeWatched = async ({ url, token }: Service) => {
  const name = "watched"
  const made = await post(url, "/v1/projects", { token, body: { name } })
  const own = { url, token, project: made("id") }
  const deployed = await deploy(own, ["rooms/boardSchema.ts"])
  if (deployed.status >= 300) throw new Error(`not deployed: ${JSON.stringify(deployed)}`)
  const set = { token, method: "PATCH", body: { name, audienceRole: "viewer" } }
  await post(url, `/v1/projects/${own.project}`, set)
  const rooms = roomsOf(own)
  const room = await (await rooms.player()).joinOrCreate(board, { roomId: "watched" })
  await room.leave()
  await until("the relay room sleeps", async () => (await rooms.status(room.id)) === "hibernated")
  return { project: own.project, roomId: room.id }
}

/** A clip of a room of the project, whose next version has a type that records itself. */
const makeClip = async (service: Service): Promise<string> => {
  const deployed = await deploy(service, roomFiles)
  if (deployed.status >= 300) throw new Error(`not deployed: ${JSON.stringify(deployed)}`)
  const rooms = roomsOf(service)
  const room = await (await rooms.player()).joinOrCreate(recorded, { roomId: "clipped" })
  await room.request("show", { text: "seen" })
  const clip: object = Object(await room.request("clip", {}))
  await room.leave()
  await until(
    "the recorded room sleeps",
    async () => (await rooms.status(room.id)) === "hibernated"
  )
  return String(Reflect.get(clip, "clipId"))
}

/** The year 2100, in seconds. */
const farS = 4_102_444_800
const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url")

/** A project of the account whose secret signs assertions, and such an assertion. */
const makeAsserted = async ({ url, token }: Service) => {
  const made = await post(url, "/v1/projects", { token, body: { name: "asserted" } })
  const project = made("id")
  const minted = await post(url, `/v1/projects/${project}/jwt-secret`, { token, body: {} })
  const claims = { iss: project, aud: "identity", sub: "ann", exp: farS }
  const signed = [{ alg: "HS256" }, claims].map(part).join(".")
  const mac = createHmac("sha256", minted("secret")).update(signed).digest("base64url")
  const assertion = `${signed}.${mac}`
  return { project, assertion }
}

/** A player whose device has a credential, and a code with which another identity becomes this player. */
const makePlayer = async ({ url, project }: Service) => {
  const body = { project }
  const token = (await post(url, "/v1/identity", { body }))("token")
  const kept = await call(url, "/v1/account/devices", { token, body })
  const { code } = (await call(url, "/v1/account/link-code", { token, body })).body
  return {
    deviceId: String(Object(kept.body["device"])["deviceId"]),
    device: String(kept.body["credential"]),
    code: String(code)
  }
}

/** A project of the account with one room type, which its queue plays, and a ticket and a party of it. */
const makeQueued = async ({ url }: Service, { project }: { readonly project: string }) => {
  const identity = (await post(url, "/v1/identity", { body: { project } }))("token")
  const ticket = (await post(url, "/match", { body: { project, identity } }))("ticket")
  const party = (await post(url, "/match/party", { body: { project } }))("code")
  return { ticket, hints: { project, identity, queue: "default", party, size: 2, waitMs: 0 } }
}

/** The name of a board that the project declares. */
const makeBoard = async ({ url, token, project }: Service): Promise<string> => {
  const body = { name: "e2e", boards: { kills: { direction: "higher" } } }
  await post(url, `/v1/projects/${project}`, { token, method: "PATCH", body })
  return "kills"
}

/** The name of the one runner. */
const runnerOf = async (service: Service): Promise<string> => {
  const answer = await ask(service, "/v1/fleet", as(service.token))
  const [runner]: ReadonlyArray<unknown> = JSON.parse(answer.text)
  return String(Object(runner)["runner"])
}

const revokedKey = async (service: Service): Promise<string> => {
  const { keyId, secret } = await mintKey(service, ["rooms:write"])
  await post(service.url, `/v1/projects/${service.project}/keys/${keyId}`, {
    token: service.token,
    method: "DELETE"
  })
  return secret
}

const revokedLogin = async (service: Service): Promise<string> => {
  const { token, tokenId } = await cliToken(service)
  await post(service.url, `/v1/me/tokens/${tokenId}`, { token: service.token, method: "DELETE" })
  return token
}

/** Sets everything up on a service that is otherwise at rest; its project has the probe's rooms. */
export const makeHttpStage = async (service: Service): Promise<HttpStage> => {
  const { url, project } = service
  const stranger = await makeStranger(service)
  const watched = await makeWatched(service)
  const asserted = await makeAsserted(service)
  const queued = await makeQueued(service, watched)
  const { deviceId, device: credential, code } = await makePlayer(service)
  const { ids: own, file: siteFile, label } = await belongings(service, "kept")
  // Each project counts its versions from 1: a stranger's is one that this project has not.
  const theirs = { ...(await belongings(stranger, "theirs")).ids, version: "99" }
  const login = (await cliToken(service)).token
  const asking = await device(service)
  const identity = await post(url, "/v1/identity", { body: { project } })
  const board = { board: await makeBoard(service) }
  const runner = await runnerOf(service)
  const clip = { replayId: await makeClip(service), index: "0" }
  const ids = {
    ...own,
    ...board,
    ...clip,
    deviceId,
    ticket: queued.ticket,
    userCode: asking.userCode,
    runner
  }
  const openApi: OpenApi = await (await fetch(`${url}/openapi.json`)).json()
  const secrets = {
    login,
    session: await session(service, login),
    revokedLogin: await revokedLogin(service),
    strangersLogin: stranger.token,
    writeKey: (await mintKey(service, ["rooms:write"])).secret,
    readKey: (await mintKey(service, ["rooms:read"])).secret,
    foreignKey: (await mintKey(stranger, ["rooms:read", "rooms:write"])).secret,
    revokedKey: await revokedKey(service),
    identity: identity("token"),
    deviceCode: asking.deviceCode,
    invitationCode: (await invitation(service)).code
  }
  return {
    url,
    openApi,
    project,
    secrets,
    hintsOfPath: {
      "/v1/audience": watched,
      "/v1/projects/:id/test-players": { roomId: "playground-0123abcd" },
      "/match": queued.hints,
      "/match/party": queued.hints,
      "/match/status": queued.hints,
      "/match/ticket/:ticket": queued.hints,
      "/v1/identity": { device: credential },
      "/v1/identity/assertion": asserted,
      "/v1/account/link": { code },
      "/v1/projects/:id/rooms/:roomId/saves/:saveId/branch": { roomId: "branched" }
    },
    siteFile,
    named: openApi.components.schemas,
    ids,
    foreignIds: theirs,
    hints: hintsOf({ ...ids, label }, secrets)
  }
}

/** Caps that no stage reaches: a cap that is reached warns in the log, whenever its meter is next counted. */
const neverReached = { roomHours: 9, voiceMinutes: 9, storageBytes: 1e9, dataOutBytes: 1e9 }

const hintsOf = (ids: Readonly<Record<string, string>>, secrets: Secrets): Hints => ({
  ...ids,
  name: "e2e",
  key: "kept",
  value: { gold: 5 },
  mail: "ops@game.example",
  jwksUrl: "https://login.example/keys",
  project: ids["id"] ?? "",
  token: secrets.login,
  deviceCode: secrets.deviceCode,
  code: secrets.invitationCode,
  retention: "10m",
  ttl: "1d",
  seconds: 5,
  order: "uncordon",
  move: "stop",
  origins: ["https://game.example"],
  active: "true",
  "idle-longer-than": "10m",
  queues: { duel: { skill: true, teams: [{ size: 1, count: 2, fill: true }] } },
  boards: { best: { direction: "lower", period: "weekly", buckets: true, keep: 3 } },
  files: [{ path: "index.html", hash: ids["hash"] ?? "", bytes: siteFileBytes }],
  settings: { audienceRole: "viewer" },
  ...neverReached
})
