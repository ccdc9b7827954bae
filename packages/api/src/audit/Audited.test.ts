import { Audited } from "@atrium/domain/audit/Audited"
import { LoginRequired, ProjectAccess } from "@atrium/domain/http/Credential"
import { Context } from "effect"
import { expect, test } from "vitest"

import { Api } from "../http/Api.ts"

const endpoints = Object.values(Api.groups).flatMap((group) =>
  Object.values(group.endpoints).map((endpoint) => ({
    route: `${endpoint.method} ${endpoint.path}`,
    reads: endpoint.method === "GET",
    as: Context.get(endpoint.annotations, Audited),
    knowsWho: endpoint.middlewares.has(ProjectAccess) || endpoint.middlewares.has(LoginRequired)
  }))
)

/**
 * What changes nothing that lasts: the lease that `atrium dev` renews every few seconds, and an upload, which is
 * forgotten unless its end makes it the site.
 */
const passing: ReadonlySet<string> = new Set([
  "PUT /v1/projects/:id/dev-lease",
  "DELETE /v1/projects/:id/dev-lease",
  "POST /v1/projects/:id/site/uploads",
  "PUT /v1/projects/:id/site/uploads/:upload/files/:hash"
])

test("[C-233] every route that changes something for somebody known is audited, and no other is", () => {
  expect(endpoints.filter(({ as }) => as !== null).length).toBeGreaterThan(15)
  for (const { route, reads, as, knowsWho } of endpoints) {
    expect(as !== null, route).toBe(knowsWho && !reads && !passing.has(route))
  }
})

test("[C-233] actions have names of their own", () => {
  const actions = endpoints.flatMap(({ as }) => (as === null ? [] : [as.action]))
  expect(actions.filter((action, at) => actions.indexOf(action) !== at)).toEqual([])
  for (const action of actions) expect(action).toMatch(/^[a-z-]+(?:\.[a-z-]+)?$/)
})
