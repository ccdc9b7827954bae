import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"

import { RequestError } from "./ClientErrors.ts"
import type { ClientPort } from "./ClientPort.ts"
import type { ClientRoom } from "./ClientRoom.ts"

/** Which room a client joins, and how. */
export interface Target {
  readonly roomId: string
  readonly type: string | null
  readonly resume: string | null
  readonly options: unknown
}

/** Where a client has its credential from. */
export interface Credential {
  token(): Promise<string>
  /** It was refused. @returns whether another one is worth a try */
  renew(): Promise<boolean>
}

/** The open endpoints of a client's project, over HTTP. */
export interface OpenEndpoints {
  readonly port: ClientPort
  /** The project: of the client, else of the schema, else `dev` against localhost; else `JoinError`. */
  projectOf(schema: AnyRoomSchema | null): string
  /** The base of the service's addresses. */
  readonly http: string
  /** The credential of the client's player for a project. */
  tokenOf(project: string): Promise<string>
  /** Joins a room with a credential of its own. */
  enter<S extends AnyRoomSchema>(
    schema: S,
    target: Target,
    credential: Credential
  ): Promise<ClientRoom<S>>
}

const endpoints = new WeakMap<object, OpenEndpoints>()

/** A client tells what functions of other modules than its own may use. */
export const openTo = (client: object, own: OpenEndpoints): void => {
  endpoints.set(client, own)
}

export const openEndpointsOf = (client: object): OpenEndpoints => {
  const own = endpoints.get(client)
  if (own === undefined) throw new Error("client: must be a Client of @atrium/sdk/client")
  return own
}

/** The parameters of a query; what is undefined is left out. */
type Query = Readonly<Record<string, string | undefined>>

/** A request to an open endpoint. */
interface OpenRequest {
  readonly method?: "GET" | "POST" | "DELETE"
  readonly query?: Query
  readonly body?: object
  /** An identity token. */
  readonly bearer?: string
  readonly signal?: AbortSignal | undefined
}

/** Asks an open endpoint. Rejects with a `RequestError`. */
export const askOpen = async (
  { port, http }: Pick<OpenEndpoints, "port" | "http">,
  path: string,
  { method = "GET", query = {}, body: sent, bearer, signal }: OpenRequest
): Promise<unknown> => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, value)
  }
  const text = parameters.toString()
  const init = {
    method,
    headers: {
      ...(sent === undefined ? {} : { "content-type": "application/json" }),
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` })
    },
    ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
    ...(signal === undefined ? {} : { signal })
  }
  const response = await port
    .fetch(`${http}${path}${text === "" ? "" : `?${text}`}`, init)
    .catch((error: unknown) => {
      throw new RequestError("E_UNREACHABLE", `${path}: ${String(error)}`)
    })
  const body: unknown = await response.json().catch(() => null)
  if (response.ok) return body
  throw refusalOf(path, response.status, body)
}

/** The error of a refused request. `name` names the request where the service does not say why. */
export const refusalOf = (name: string, status: number, body: unknown): RequestError => {
  const { code, message, retryAfterMs } = fieldsOf(fieldsOf(body)["error"])
  return new RequestError(
    typeof code === "string" ? code : "E_UNREACHABLE",
    typeof message === "string" ? message : `${name}: HTTP ${status}`,
    typeof retryAfterMs === "number" ? retryAfterMs : null
  )
}

/** Reads from an open endpoint. Rejects with a `RequestError`. */
export const readOpen = (
  of: Pick<OpenEndpoints, "port" | "http">,
  path: string,
  request: { readonly query: Query; readonly signal?: AbortSignal }
): Promise<unknown> => askOpen(of, path, request)

/** An answer that is not of the endpoint's form. */
export const notOfForm = (path: string): RequestError =>
  new RequestError("E_PROTOCOL", `${path}: an answer of another form`)

export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? { ...value } : {}
