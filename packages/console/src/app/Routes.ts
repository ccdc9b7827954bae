/** The pages of a project, in the order of its menu. */
const projectPages = ["rooms"] as const
export type ProjectPage = (typeof projectPages)[number]

/** What an address below `/console` shows. */
export type Route =
  | { readonly _tag: "Projects" }
  | { readonly _tag: "Project"; readonly project: string; readonly page: ProjectPage }
  | { readonly _tag: "Unknown" }

const base = "/console"

/** Reads an address. One that names nothing is `Unknown`, also where it cannot be decoded. Source: C-761. */
export const routeOf = (pathname: string): Route => {
  const parts = partsOf(pathname)
  if (parts === null) return { _tag: "Unknown" }
  const [first, project, name = projectPages[0], ...rest] = parts
  if (first === undefined) return { _tag: "Projects" }
  const page = projectPages.find((one) => one === name)
  if (first !== "p" || project === undefined || page === undefined || rest.length > 0) {
    return { _tag: "Unknown" }
  }
  return { _tag: "Project", project, page }
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
  if (route._tag === "Projects") return base
  return `${base}/${["p", route.project, route.page].map(encodeURIComponent).join("/")}`
}
