import type { OwnersDeed } from "../../codec/Codecs.ts"
import type { HttpRequest } from "../../trial/HttpProbe.ts"

/** Further calls that only a login may make: what is behind them is our choice. */
export const beside: Partial<Record<OwnersDeed, (project: string) => ReadonlyArray<HttpRequest>>> =
  {
    deploy: (project) => [{ method: "GET", path: `/v1/projects/${project}/deployments` }],
    account: (project) => [
      { method: "GET", path: "/v1/projects" },
      { method: "POST", path: "/v1/projects", body: { name: "by a key" } },
      { method: "GET", path: `/v1/projects/${project}` },
      { method: "DELETE", path: `/v1/projects/${project}` },
      { method: "PUT", path: `/v1/projects/${project}/name`, body: { name: "by a key" } },
      { method: "POST", path: `/v1/projects/${project}/jwt-secret`, body: { rotate: true } },
      { method: "GET", path: `/v1/projects/${project}/logs` },
      { method: "GET", path: `/v1/projects/${project}/metrics` }
    ],
    fleet: () => [{ method: "PATCH", path: "/v1/fleet/alone", body: { order: "cordon" } }],
    playerData: (project) => [
      { method: "GET", path: `/v1/projects/${project}/players/any` },
      { method: "GET", path: `/v1/projects/${project}/players/any/export` },
      { method: "DELETE", path: `/v1/projects/${project}/players/any` },
      { method: "GET", path: `/v1/projects/${project}/tickets` },
      { method: "GET", path: `/v1/projects/${project}/players/any/kv/entry?key=any` },
      { method: "DELETE", path: `/v1/projects/${project}/players/any/kv/entry?key=any` },
      {
        method: "PUT",
        path: `/v1/projects/${project}/players/any/kv/entry`,
        body: { key: "any", value: 1 }
      }
    ],
    cliToken: () => [{ method: "DELETE", path: "/v1/me/tokens/any" }]
  }

export const malformedIds = (id: string): ReadonlyArray<string> => [
  id.slice(0, -1),
  `${id}0`,
  id.toUpperCase(),
  `p_${"g".repeat(16)}`,
  `q_${"0".repeat(16)}`,
  "x",
  "%20",
  "%00",
  "%F0%9F%98%80",
  "..%2f..",
  "x".repeat(300)
]
