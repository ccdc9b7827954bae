import type { Route } from "./Row.ts"
import { tierA, tierB, tierC, type More, type UnplacedRow } from "./Section.ts"

// Rows that many sections share, by what they take of an implementation.

/** A row that a command of the tool shows. */
export const toolRow = tierA.taking({ probe: ["cli"], features: ["cli"] })

/** A row about the project file `service.json`. */
export const fileRow = tierA.taking({ probe: ["cli"], features: ["cli", "projectFile"] })

/** A row about a key of the project file that a deploy brings to the service. */
export const fileSyncRow = tierA.taking({
  probe: ["cli"],
  features: ["cli", "projectFile", "projectFile.sync"]
})

/** A row about a board in the project file. */
export const fileBoardRow = tierA.taking({
  probe: ["cli"],
  features: ["boards", "cli", "projectFile", "projectFile.sync"]
})

/** A row about the audience in the project file. */
export const fileAudienceRow = tierA.taking({
  probe: ["cli"],
  features: ["audience", "cli", "projectFile"]
})

/** A row about the browser entry that the project file names. */
export const fileClientRow = tierA.taking({
  probe: ["cli"],
  features: ["cli", "projectFile", "projectFile.client"]
})

/** A row about the project file that `init` writes. */
export const fileInitRow = tierA.taking({
  probe: ["cli"],
  features: ["cli", "cli.init", "projectFile"]
})

/** A row about static files that a deploy brings. */
export const staticSiteRow = tierA.taking({
  probe: ["cli"],
  features: ["cli", "projectFile", "staticSites"]
})

/** A row about migrations that the tool runs. */
export const migrationRow = tierA.taking({ probe: ["cli"], features: ["cli", "migrations"] })

/** A row about a room, as its clients see it. */
export const clientRow = tierB.taking({ probe: ["ws"] })

export const relayRow = tierB.taking({ probe: ["ws"], features: ["relay"] })
export const audienceRow = tierB.taking({ probe: ["ws"], features: ["audience", "relay"] })
export const replayRow = tierB.taking({ probe: ["ws"], features: ["replay"] })
export const playerStoreRow = tierB.taking({ probe: ["ws"], features: ["playerStore"] })
export const slowClientRow = tierB.taking({ probe: ["ws"], features: ["slowClients"] })
export const ratingRow = tierB.taking({ probe: ["ws"], features: ["ratings"] })
export const budgetRow = tierB.taking({ probe: ["ws"], features: ["budget"] })

/** A row about the library, which takes no fixture of the implementation. */
export const sdkRow = tierB.taking({ probe: ["sdk"], hooks: [], features: ["sdk"] })

/** A row about connections, which takes clients at several addresses. */
export const connectionRow = tierC.taking({
  probe: ["ws"],
  hooks: ["address", "fixture"],
  features: ["connectionLimits"]
})

type RouteMore = More & Partial<Pick<Route, "scope" | "success">>

/** Makes rows of routes that take one kind of credential, and answer 200 (D-01) unless said. */
const routesWith =
  (credential: Route["credential"], common: { readonly says: string } & More) =>
  (line: number, request: RouteRequest, more: RouteMore = {}): UnplacedRow => {
    const { says, ...fields } = common
    const { scope, success = 200, ...others } = more
    const [method, path] = partsOf(request)
    const asks = scope === undefined ? {} : { scope }
    return tierA(line, `${request} ${says}`, {
      ...fields,
      ...others,
      route: { method, path, credential, success, ...asks }
    })
  }

/** As the specification writes it. */
type RouteRequest = `${Route["method"]} ${string}`

const partsOf = (request: RouteRequest): [Route["method"], string] => {
  const [method = "", ...path] = request.split(" ")
  // The type of a request says so.
  return [method as Route["method"], path.join(" ")]
}

const managed = { says: "exists and succeeds with a proper credential", decisions: ["D-01"] }

/** A route of the management API that takes an API key. */
export const keyRoute = routesWith("key", managed)
/** A route of the management API that takes the owner's login alone. */
export const loginRoute = routesWith("login", managed)
/** A route for players. */
export const openRoute = routesWith("project", {
  says: "exists and serves its purpose with only a project id"
})
