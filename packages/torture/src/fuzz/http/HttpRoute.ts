import { Api } from "@atrium/api/http/Api"
import { type BodyBound, RouteBody } from "@atrium/domain/http/BodyBound"
import {
  LoginRequired,
  NoApiKey,
  ProjectAccess,
  RequiredScope
} from "@atrium/domain/http/Credential"
import { Context } from "effect"

import type { JsonSchema } from "./JsonSchema.ts"

/** The callers of a route: a login or key of the project, any login, anybody without an API key, anybody. */
export type Guard = "project" | "login" | "keyless" | "open"

/** A query parameter that a route takes. */
export interface QueryParameter {
  readonly name: string
  readonly required: boolean
  readonly schema: JsonSchema
}

/** The body that a route takes: its content type and its schema. */
export interface BodyForm {
  readonly contentType: string
  /** `null` = bytes. */
  readonly schema: JsonSchema | null
}

/** One route of the contract, with all that a request to it is made of. */
export interface HttpRoute {
  readonly name: string
  readonly method: string
  /** With `:name` for each parameter. */
  readonly path: string
  readonly params: ReadonlyArray<string>
  readonly query: ReadonlyArray<QueryParameter>
  readonly guard: Guard
  /** The scope that an API key needs; `null` = the route takes no API key. */
  readonly scope: string | null
  readonly body: BodyForm | null
  /** How large its body may be. */
  readonly bound: BodyBound
  /** The codes of its refusals, by status. */
  readonly codes: ReadonlyMap<number, ReadonlySet<string>>
}

interface Operation {
  readonly parameters?: ReadonlyArray<{
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly schema: JsonSchema
  }>
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: JsonSchema }>> }
  readonly responses: Readonly<Record<string, { readonly description: string }>>
}

/** The parts of the API's description that this reads. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> }
}

const guardOf = (
  has: (middleware: typeof ProjectAccess | typeof LoginRequired | typeof NoApiKey) => boolean
): Guard => {
  if (has(ProjectAccess)) return "project"
  if (has(LoginRequired)) return "login"
  return has(NoApiKey) ? "keyless" : "open"
}

const bodyOf = ({ requestBody }: Operation): BodyForm | null => {
  const [form] = Object.entries(requestBody?.content ?? {})
  if (form === undefined) return null
  const [contentType, { schema }] = form
  return { contentType, schema: contentType === "application/json" ? schema : null }
}

const codesOf = ({ responses }: Operation): HttpRoute["codes"] =>
  new Map(
    Object.entries(responses)
      .filter(([status]) => Number(status) >= 400)
      .map(([status, { description }]) => [
        Number(status),
        new Set(description.match(/E_[A-Z_]+/g))
      ])
  )

/**
 * Every route of the contract: the contract itself says who may ask and how large a body may be, the description that
 * the service gives of it says the shape of a request. Errors: `Error` when that leaves a route out.
 */
export const routesOf = ({ paths }: OpenApi): ReadonlyArray<HttpRoute> =>
  Object.values(Api.groups).flatMap((group) =>
    Object.values(group.endpoints).map((endpoint) => {
      const { method, path, middlewares, annotations } = endpoint
      const name = `${method} ${path}`
      const described = paths[path.replace(/:([A-Za-z]+)/g, "{$1}")]?.[method.toLowerCase()]
      if (described === undefined) throw new Error(`/openapi.json has no ${name}`)
      const query = (described.parameters ?? [])
        .filter((parameter) => parameter.in === "query")
        .map(({ name, required = false, schema }) => ({ name, required, schema }))
      return {
        name,
        method,
        path,
        query,
        params: [...path.matchAll(/:([A-Za-z]+)/g)].map(([, param = ""]) => param),
        guard: guardOf((middleware) => middlewares.has(middleware)),
        scope: Context.get(annotations, RequiredScope),
        body: bodyOf(described),
        bound: Context.get(annotations, RouteBody),
        codes: codesOf(described)
      }
    })
  )
