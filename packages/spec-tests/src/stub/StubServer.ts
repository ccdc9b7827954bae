import { createServer, type IncomingMessage, type ServerResponse } from "node:http"

import { closed, listening } from "./Listening.ts"
import type { Misbehaviour } from "./Misbehaviours.ts"
import { type StubAnswer, type StubCall, StubRefusal, cutMessage } from "./StubAnswer.ts"
import { loginOf, ownProject, projectFor } from "./StubCredentials.ts"
import { listKeys, mintKey, revokeKey } from "./StubKeys.ts"
import * as projects from "./StubProjects.ts"
import * as rooms from "./StubRooms.ts"
import { type StubState, randomText } from "./StubState.ts"

export interface StubOptions {
  readonly misbehave?: ReadonlyArray<Misbehaviour>
  /** Looks for the room before it reads the body: no order is written anywhere. */
  readonly roomFirst?: boolean
  /** Answers after 5 to 20 ms. */
  readonly slow?: boolean
}

export interface Stub {
  readonly url: string
  readonly accounts: readonly [string, string]
  stop(): Promise<void>
}

/** A second implementation of keys, rooms and projects: in memory, and as unlike ours as may be. */
export const startStub = async (options: StubOptions = {}): Promise<Stub> => {
  const accounts = [`login-${randomText(20)}`, `login-${randomText(20)}`] as const
  const state: StubState = {
    accounts: new Set(accounts),
    projects: new Map(),
    keys: new Map()
  }
  const misbehaving = new Set(options.misbehave ?? [])
  let asked = 0
  const server = createServer((request, response) => {
    const waitMs = options.slow === true ? 5 + ((asked++ * 7) % 16) : 0
    void readCall(request, (as) => misbehaving.has(as)).then((call) => {
      const answer = answerOf(state, call, options)
      if (waitMs === 0) send(response, answer)
      else setTimeout(() => send(response, answer), waitMs)
    })
  })
  const port = await listening(server)
  return { url: `http://127.0.0.1:${port}`, accounts, stop: () => closed(server) }
}

const readCall = async (
  request: IncomingMessage,
  misbehaves: StubCall["misbehaves"]
): Promise<StubCall> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  const url = new URL(request.url ?? "/", "http://stub")
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, value?.toString()])
  )
  const parts = url.pathname.slice(1).split("/").map(decoded)
  const text = Buffer.concat(chunks).toString()
  return { method: request.method ?? "", parts, query: url.searchParams, headers, text, misbehaves }
}

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return ""
  }
}

const answerOf = (state: StubState, call: StubCall, options: StubOptions): StubAnswer => {
  try {
    return routed(state, call, options.roomFirst === true)
  } catch (cause) {
    if (!(cause instanceof StubRefusal)) throw cause
    const message = cutMessage(cause.message, call.misbehaves)
    const headers = cause.status === 401 ? { "WWW-AUTHENTICATE": 'Bearer realm="stub"' } : {}
    return {
      status: cause.status,
      body: { error: { hint: "look again", message, code: cause.code } },
      headers
    }
  }
}

const routed = (state: StubState, call: StubCall, roomFirst: boolean): StubAnswer => {
  const [version, area, project, resource] = call.parts
  if (version !== "v1") throw new StubRefusal(404, "E_NOT_FOUND", "nothing is there")
  if (area === "identity" && call.parts.length === 2) return identity(state, call)
  if (area !== "projects") {
    loginOf(state, call)
    throw new StubRefusal(404, "E_NOT_FOUND", "nothing is there")
  }
  if (project === undefined) {
    const account = loginOf(state, call)
    if (call.method !== "POST") throw notSo()
    return projects.createProject(state, call, account)
  }
  if (resource === "rooms") return roomRoute(state, call, roomFirst)
  const own = ownProject(state, call)
  const route = `${call.method} ${resource ?? ""}`.trim()
  if (route === "GET") return projects.readProject(own)
  if (route === "PATCH") return projects.patchProject(call, own)
  if (route === "GET caps") return projects.readCaps(own)
  if (route === "PATCH caps") return projects.patchCaps(call, own)
  if (route === "POST keys") return mintKey(state, call, own)
  if (route === "GET keys") return listKeys(call, own)
  if (route === "DELETE keys") return revokeKey(call, own)
  throw new StubRefusal(404, "E_NOT_FOUND", "nothing is there")
}

const notSo = (): StubRefusal => new StubRefusal(405, "E_METHOD", "not with that method")

const identity = (state: StubState, call: StubCall): StubAnswer => {
  const { origin } = call.headers
  const isLocal = origin !== undefined && new URL(origin).hostname === "localhost"
  const allowed = isLocal ? { "Access-Control-Allow-Origin": origin, VARY: "Origin" } : {}
  if (call.method === "OPTIONS") {
    const may = { "Access-Control-Allow-Methods": "POST", "ACCESS-CONTROL-ALLOW-HEADERS": "*" }
    return { status: 204, headers: isLocal ? { ...allowed, ...may } : {} }
  }
  if (call.method !== "POST") throw notSo()
  return { ...projects.mintIdentity(state, call), headers: allowed }
}

const roomRoute = (state: StubState, call: StubCall, roomFirst: boolean): StubAnswer => {
  const [, , , , room, part, , bytes] = call.parts
  projectFor(state, call, call.method === "GET" ? "rooms:read" : "rooms:write")
  const route = [call.method, room === undefined ? "" : "room", part ?? "", bytes ?? ""].join(" ")
  if (route === "GET   ") return rooms.listRooms(call)
  if (!roomRoutes.includes(route.trimEnd())) {
    throw part === undefined ? notSo() : new StubRefusal(404, "E_NOT_FOUND", "nothing is there")
  }
  return rooms.oneRoom(roomFirst ? { ...call, method: "GET" } : call)
}

const roomRoutes: ReadonlyArray<string> = [
  "GET room",
  "PATCH room",
  "DELETE room",
  "GET room saves",
  "GET room saves bytes",
  "POST room restore"
]

/** In two chunks, under names that are written as nobody else writes them. */
const send = (response: ServerResponse, answer: StubAnswer): void => {
  const type = { "X-STUB": "1", "content-TYPE": "application/json" }
  response.writeHead(answer.status, { ...type, ...answer.headers })
  if (answer.body === undefined) {
    response.end()
    return
  }
  const bytes = Buffer.from(JSON.stringify(answer.body))
  response.write(bytes.subarray(0, 3))
  response.end(bytes.subarray(3))
}
