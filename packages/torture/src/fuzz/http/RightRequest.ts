import type { Chance } from "@atrium/api/testing/Chance"

import { type HttpDraft, withQuery } from "./HttpDraft.ts"
import type { HttpRoute } from "./HttpRoute.ts"
import type { HttpStage } from "./HttpStage.ts"
import { sampleOf } from "./JsonSchema.ts"

/** The target of a route, with ids as they are written in a path. */
export const targetOf = (
  { path, query }: HttpRoute,
  stage: HttpStage,
  ids: Readonly<Record<string, string>> = {}
): string => {
  const filled = path.replace(
    /:([A-Za-z]+)/g,
    (_, param: string) => ids[param] ?? stage.ids[param] ?? "x"
  )
  const hints: Readonly<Record<string, unknown>> = { ...stage.hints, ...stage.hintsOfPath[path] }
  const required = query
    .filter((parameter) => parameter.required)
    .map(({ name }) => `${name}=${encodeURIComponent(String(hints[name] ?? "x"))}`)
  return required.length === 0 ? filled : `${filled}?${required.join("&")}`
}

const credentialOf = (
  { guard, scope, path }: HttpRoute,
  { secrets }: HttpStage,
  chance: Chance
): string | null => {
  if (path.startsWith("/v1/account")) return secrets.identity
  if (guard === "open" || guard === "keyless") return null
  return scope === null || chance.one(2) ? secrets.login : secrets.writeKey
}

/** A body that the route would take. */
const bodyOf = (
  { body, path, bound }: HttpRoute,
  { hints, hintsOfPath, named, siteFile }: HttpStage
): Buffer | null => {
  if (body === null) return null
  if (body.schema === null) {
    return bound.noun === "bundle" ? Buffer.from("exports.rooms = {}") : siteFile
  }
  const fields = { ...hints, ...hintsOfPath[path] }
  return Buffer.from(JSON.stringify(sampleOf(body.schema, { named, hints: fields })))
}

/** A request with nothing wrong: what it would do if it were sent as it is, it would do. */
export const rightRequest = (route: HttpRoute, stage: HttpStage, chance: Chance): HttpDraft => {
  const credential = credentialOf(route, stage, chance)
  return {
    method: route.method,
    target: targetOf(route, stage),
    headers: [
      ["host", new URL(stage.url).host],
      ...(credential === null ? [] : [["authorization", `Bearer ${credential}`] as const]),
      ...(route.body === null ? [] : [["content-type", route.body.contentType] as const])
    ],
    body: bodyOf(route, stage),
    framing: null
  }
}

/** A field that no route takes. */
const unknownParameter = "zz-unknown=1"

/** A request that is refused with 400 once its credential and its project are taken. */
export const doomedRequest = (right: HttpDraft): HttpDraft => withQuery(right, unknownParameter)
