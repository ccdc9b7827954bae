/** The pages of a project, in the order of its menu. */
export const projectPages = [
  "rooms",
  "hour",
  "deployments",
  "logs",
  "usage",
  "playground",
  "players",
  "queues",
  "boards",
  "replays",
  "keys",
  "settings"
] as const
export type ProjectPage = (typeof projectPages)[number]

/** The pages of a project, with their names. */
export const pageTitles: Readonly<Record<ProjectPage, string>> = {
  rooms: "Rooms",
  hour: "Last hour",
  deployments: "Deployments",
  logs: "Logs",
  usage: "Usage and caps",
  playground: "Playground",
  players: "Players",
  queues: "Queues",
  boards: "Boards",
  replays: "Replays",
  keys: "Keys and audit",
  settings: "Settings"
}

/** The pages beside those of projects. */
export const accountPages = ["account", "fleet"] as const
export type AccountPage = (typeof accountPages)[number]

/** The pages beside those of projects, with their names. */
export const accountTitles: Readonly<Record<AccountPage, string>> = {
  account: "Account",
  fleet: "Fleet"
}

/** What an address below `/console` shows. */
export type Route =
  | { readonly _tag: "Projects" }
  | { readonly _tag: "Account"; readonly page: AccountPage }
  | { readonly _tag: "Project"; readonly project: string; readonly page: ProjectPage }
  | { readonly _tag: "Room"; readonly project: string; readonly room: string }
  | { readonly _tag: "Saves"; readonly project: string; readonly room: string }
  | { readonly _tag: "Unknown" }

const base = "/console"

/** Reads an address. An address that names no page, or cannot be decoded, is `Unknown`. Source: C-761. */
export const routeOf = (pathname: string): Route => {
  const parts = partsOf(pathname)
  if (parts === null) return { _tag: "Unknown" }
  const [first, project, name = projectPages[0], room, part, ...rest] = parts
  if (first === undefined) return { _tag: "Projects" }
  const own = accountPages.find((one) => one === first)
  if (own !== undefined && parts.length === 1) return { _tag: "Account", page: own }
  const page = projectPages.find((one) => one === name)
  if (first !== "p" || project === undefined || page === undefined || rest.length > 0) {
    return { _tag: "Unknown" }
  }
  if (room === undefined) return { _tag: "Project", project, page }
  if (page !== "rooms") return { _tag: "Unknown" }
  if (part === undefined) return { _tag: "Room", project, room }
  return part === "saves" ? { _tag: "Saves", project, room } : { _tag: "Unknown" }
}

const partsOf = (pathname: string): ReadonlyArray<string> | null => {
  if (pathname !== base && !pathname.startsWith(`${base}/`)) return null
  try {
    return pathname
      .slice(base.length)
      .split("/")
      .filter((part) => part !== "")
      .map(decodeURIComponent)
  } catch {
    return null
  }
}

/** The address of a page: what {@link routeOf} reads back. */
export const addressOf = (route: Exclude<Route, { readonly _tag: "Unknown" }>): string => {
  switch (route._tag) {
    case "Projects":
      return base
    case "Account":
      return joined([route.page])
    case "Project":
      return joined(["p", route.project, route.page])
    case "Room":
      return joined(["p", route.project, "rooms", route.room])
    case "Saves":
      return joined(["p", route.project, "rooms", route.room, "saves"])
  }
}

const joined = (parts: ReadonlyArray<string>): string =>
  `${base}/${parts.map(encodeURIComponent).join("/")}`
