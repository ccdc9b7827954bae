import { type BodyBound, RouteBody, usualBody } from "@atrium/domain/http/BodyBound"
import { Context } from "effect"
import type { HttpServerRequest } from "effect/http"

import { features } from "../features.ts"
import { Api } from "./Api.ts"
import type { Page } from "./Page.ts"
import { patternOf } from "./PathPattern.ts"

/** The path of the API's description, which `Api` makes. */
export const openapiPath = "/openapi.json"

/** The path of the page that shows the description. */
export const docsPath = "/docs"

interface KnownPath {
  readonly pattern: RegExp
  /** The bound of the body, by method. */
  readonly methods: Map<string, BodyBound>
}

const knownPaths: ReadonlyArray<KnownPath> = (() => {
  const byPath = new Map<string, KnownPath>()
  const add = (path: string, method: string, body: BodyBound): void => {
    const known = byPath.get(path) ?? { pattern: patternOf(path), methods: new Map() }
    known.methods.set(method, body)
    byPath.set(path, known)
  }
  for (const group of Object.values(Api.groups)) {
    for (const { path, method, annotations } of Object.values(group.endpoints)) {
      add(path, method, Context.get(annotations, RouteBody))
    }
  }
  const pages = features.flatMap<Page<unknown>>((feature) => feature.pages)
  for (const path of [...pages.map((page) => page.path), openapiPath, docsPath])
    add(path, "GET", usualBody)
  return [...byPath.values()]
})()

const routesAt = (url: string): ReadonlyMap<string, BodyBound> => {
  const path = url.split("?", 1)[0] ?? url
  return knownPaths.find(({ pattern }) => pattern.test(path))?.methods ?? new Map()
}

/** The methods that the path of this address takes; none = there is no such path. */
export const methodsOf = (url: string): ReadonlyArray<string> => [...routesAt(url).keys()]

/** How large the body of this request may be. */
export const bodyBoundOf = ({ method, url }: HttpServerRequest.HttpServerRequest): BodyBound =>
  routesAt(url).get(method) ?? usualBody
