import { TakesBundle } from "@atrium/domain/deployments/TakesBundle"
import { Context } from "effect"
import type { HttpServerRequest } from "effect/http"

import { features } from "../features.ts"
import { Api } from "./Api.ts"
import type { Page } from "./Page.ts"

/** The path of the API's description, which `Api` makes. */
export const openapiPath = "/openapi.json"

/** The path of the page that shows the description. */
export const docsPath = "/docs"

interface KnownPath {
  readonly pattern: RegExp
  /** By method, whether the body is a bundle. */
  readonly methods: Map<string, boolean>
}

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/:[A-Za-z]+/g, "[^/]+")}$`)

const knownPaths: ReadonlyArray<KnownPath> = (() => {
  const byPath = new Map<string, KnownPath>()
  const add = (path: string, method: string, takesBundle: boolean): void => {
    const known = byPath.get(path) ?? { pattern: patternOf(path), methods: new Map() }
    known.methods.set(method, takesBundle)
    byPath.set(path, known)
  }
  for (const group of Object.values(Api.groups)) {
    for (const { path, method, annotations } of Object.values(group.endpoints)) {
      add(path, method, Context.get(annotations, TakesBundle))
    }
  }
  const pages = features.flatMap<Page<unknown>>((feature) => feature.pages)
  for (const path of [...pages.map((page) => page.path), openapiPath, docsPath])
    add(path, "GET", false)
  return [...byPath.values()]
})()

const routesAt = (url: string): ReadonlyMap<string, boolean> => {
  const path = url.split("?", 1)[0] ?? url
  return knownPaths.find(({ pattern }) => pattern.test(path))?.methods ?? new Map()
}

/** The methods that the path of this address takes; none = there is no such path. */
export const methodsOf = (url: string): ReadonlyArray<string> => [...routesAt(url).keys()]

/** Whether the body of this request is a bundle, which has a limit and a refusal of its own. */
export const takesBundle = ({ method, url }: HttpServerRequest.HttpServerRequest): boolean =>
  routesAt(url).get(method) ?? false
