import { asking, badRequest, refusedWith, type RouteCase } from "./HttpCase.ts"
import { withQuery } from "./HttpDraft.ts"
import type { HttpRoute, QueryParameter } from "./HttpRoute.ts"
import { mayPass } from "./JsonSchema.ts"

/** Names that no route has for a parameter, as they are written in a query. */
const unknowns: ReadonlyArray<string> = [
  "zz=1",
  "zz",
  "zz=",
  "=1",
  "=",
  "__proto__=1",
  "constructor[prototype][x]=1",
  "a[]=1",
  "a%5B%5D=1",
  "%00=1",
  "%zz=1",
  "%ff=%ff",
  "%e2%98%83=%e2%98%83",
  "toString=1",
  "a+b=c",
  "zz=1&zz=2",
  "ZZ=1",
  "Active=true",
  "FORCE=true",
  "force%00=true",
  "%66orc=true",
  "a=b=c",
  ";zz",
  "a;b=1",
  "#zz",
  "access_token=1",
  "_method=DELETE",
  "callback=alert(1)",
  "?",
  `${"z".repeat(7_000)}=1`,
  `zz=${"1".repeat(7_000)}`,
  `zz=1${"&zz=1".repeat(1_000)}`,
  `zz=${"%25".repeat(2_000)}`
]

const valuesOf = ({ schema }: QueryParameter): ReadonlyArray<string> =>
  [
    "",
    "yes",
    "TRUE",
    "1",
    "null",
    "true ",
    "tru\u00e9",
    "0m",
    "-1m",
    "1.5h",
    "99999999d",
    "1M",
    "m",
    "forever"
  ].filter((value) => !mayPass(schema, value, {}))

const declared =
  (fits: (parameter: QueryParameter, route: HttpRoute) => boolean) =>
  (route: HttpRoute): boolean =>
    route.query.some((parameter) => fits(parameter, route))

/** Parameters that a route does not take, or not so. Source: D-02, D-03, T-03. */
export const queryCases: ReadonlyArray<RouteCase> = [
  {
    name: "query: an unknown parameter",
    weight: 8,
    fits: () => true,
    ask: ({ right, chance }) => asking(withQuery(right, chance.pick(unknowns)), badRequest)
  },
  {
    name: "query: a secret for a name",
    weight: 1,
    fits: () => true,
    ask: ({ right, stage, chance }) =>
      asking(
        withQuery(right, chance.pick([stage.secrets.login, stage.secrets.writeKey])),
        badRequest
      )
  },
  {
    name: "query: a parameter twice",
    weight: 4,
    fits: declared(() => true),
    ask: ({ right, route, chance, stage }) => {
      const { name } = chance.pick(route.query)
      const value = encodeURIComponent(String(stage.hints[name] ?? "true"))
      const both = chance.pick([`${name}=${value}&${name}=${value}`, `${name}=${value}&${name}=`])
      return asking(withQuery(right, both), { ...badRequest, names: name })
    }
  },
  {
    name: "query: a value that is none",
    weight: 6,
    fits: declared((parameter) => valuesOf(parameter).length > 0),
    ask: ({ right, route, chance }) => {
      const parameter = chance.pick(route.query.filter((each) => valuesOf(each).length > 0))
      const value = encodeURIComponent(chance.pick(valuesOf(parameter)))
      const draft = withQuery(right, `${parameter.name}=${value}`)
      return asking(draft, { ...badRequest, names: parameter.name })
    }
  },
  {
    name: "query: a required parameter is not there",
    weight: 2,
    fits: declared(({ required }) => required),
    ask: ({ right }) => asking({ ...right, target: right.target.replace(/\?.*$/, "") }, badRequest)
  },
  {
    name: "query: a project that is none",
    weight: 6,
    fits: declared(({ name }) => name === "project"),
    ask: ({ right, chance, stage }) => {
      const id = chance.pick([
        "",
        "%00",
        "p_0000000000000000",
        "dev%00",
        "%zz",
        "x".repeat(9_000),
        stage.secrets.login
      ])
      const target = right.target.replace(/project=[^&]*/, `project=${id}`)
      return asking({ ...right, target }, refusedWith(404, "E_NOT_FOUND"))
    }
  }
]
