import type { Requirement } from "../sections/Requirement.ts"
import { requirementOf, requirements } from "../sections/Requirements.ts"
import type { Capability } from "./Capability.ts"
import { namedBeside, namedButNotNeeded } from "./NamedCapabilities.ts"
import type { Row } from "./Row.ts"
import { rows } from "./Sections.ts"

/** All that the statement of a requirement names. */
export const capabilitiesOf = (id: string): ReadonlyArray<Capability> => {
  const row = rowById.get(id)
  const exempt = namedButNotNeeded[id] ?? []
  const named = [
    ...(row === undefined ? [] : ofRow(row, id)),
    ...ofStatement(requirementOf(id)),
    ...(namedBeside[id] ?? [])
  ]
  return [...new Set(named)].filter((capability) => !exempt.includes(capability))
}

/** The feature that an implementation declares for a capability; null = every implementation has it. */
export const featureOf = (capability: Capability): string | null => {
  const found = features.find(([prefix]) => capability.startsWith(prefix))
  return found === undefined ? null : found[1]
}

const features: ReadonlyArray<readonly [string, string]> = [
  ["command deploy --static", "staticSites"],
  ["command init", "cli.init"],
  ["command logs", "cli.logs"],
  ["command migrate", "migrations"],
  ["command rollback", "rollback"],
  ["command simulate", "cli.simulate"],
  ["route POST /match", "match"],
  ["route GET /match", "match"],
  ["route POST /v1/identity/assertion", "assertions"],
  ["route GET /v1/leaderboard", "boards"],
  ["route POST /v1/account", "accounts"],
  ["route GET /v1/account", "accounts"],
  ["route GET /v1/presence", "presence"],
  ["route POST /v1/audience", "audience"],
  ["meter voiceMinutes", "voice"],
  ["meter ", "metering"],
  ["behaviour the origin list", "origins"],
  ["behaviour rating-based matching", "match"],
  ["behaviour the variable of a server", "serverEnvironment"],
  ["behaviour the owner's rollback", "rollback"],
  ["behaviour the owner's usage", "usage"],
  ["behaviour the owner's billing", "billing"],
  ["behaviour the owner's fleet", "fleet"]
]

/** Every feature that some capability stands for. */
export const capabilityFeatures: ReadonlySet<string> = new Set(features.map(([, name]) => name))

/** Every route that some requirement names. */
export const routeCapabilities = (): ReadonlyArray<Capability> => [
  ...new Set(
    requirements.flatMap(({ id }) =>
      capabilitiesOf(id).filter((capability) => capability.startsWith("route "))
    )
  )
]

const rowById = new Map(rows.flatMap((row) => row.ids.map((id) => [id, row] as const)))

const ofRow = (row: Row, id: string): ReadonlyArray<Capability> => {
  switch (row.kind) {
    case "route":
      return routesOf(`${row.method} ${row.path}`)
    case "bucket":
      return isRoute(row.endpoint) ? routesOf(row.endpoint) : []
    case "file":
      return row.ids[0] === id ? row.commands.map((name): Capability => `command ${name}`) : []
    case "statement":
      return ofCommands(row.is ?? {})
    case "boundary":
    case "error":
    case "move":
    case "keep":
    case "shape":
    case "text":
    case "documented":
      return []
  }
}

const isRoute = (endpoint: string): boolean =>
  /^(?:(?:GET|POST|PATCH|DELETE|various) )?\//.test(endpoint)

/** Without its query; what follows `...` is left open. */
const routeOf = (endpoint: string): Capability =>
  `route ${endpoint.replace(/\?.*$/, "").replace(/\/\.\.\.$/, "")}`

/** Of several routes in one line, `/v1/account, /v1/account/devices`, the reads are looked for. */
const routesOf = (endpoint: string): ReadonlyArray<Capability> => {
  const [, paths] = /^(?:various )?(\/.*)$/.exec(endpoint) ?? []
  return paths === undefined
    ? [routeOf(endpoint)]
    : paths.split(", ").map((path) => routeOf(`GET ${path}`))
}

/** `{ command }` is a line with its arguments, `{ commands }` are names. */
const ofCommands = ({ command, commands }: Readonly<Record<string, unknown>>) => {
  const lines = [...(Array.isArray(commands) ? commands : []), ...(command ? [command] : [])]
  return lines.map((line): Capability => `command ${nameOfCommand(String(line))}`)
}

/** `rooms get <roomId> --json` is `rooms get`; `deploy --static` is a command of its own. */
const nameOfCommand = (line: string): string =>
  line.startsWith("deploy --static") ? "deploy --static" : line.replace(/ [<-].*$/, "")

/** Statements about the tool name its commands by their bare words. */
const ofTool = /^(?:file|cli)\./
/** Statements about what is declared name the commands that bring it to the service. */
const ofDeclarations = /^(?:queues|boards|origins|audienceRole|preRelease)\./

const commandWord =
  /(?<![\w-])(?:deploy --static|deploy|dev|migrate create|rollback|logs|rooms|keys|init|login|whoami)(?![\w-])/g
const deployWord = /(?<![\w-])deploy(?: --static)?(?![\w-])/g

const ofStatement = ({ id, statement }: Requirement): ReadonlyArray<Capability> => {
  const word = ofTool.test(id) ? commandWord : ofDeclarations.test(id) ? deployWord : null
  const found = word === null ? [] : (statement.match(word) ?? [])
  return found.map((name): Capability => `command ${name}`)
}
