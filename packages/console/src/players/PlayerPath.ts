import { addressOf } from "../app/Routes.ts"

export const playerPath = (project: string, player: string): string =>
  `/v1/projects/${encodeURIComponent(project)}/players/${encodeURIComponent(player)}`

/** The address of the page of a player. */
export const addressOfPlayer = (project: string, player: string): string =>
  `${addressOf({ _tag: "Project", project, page: "players" })}?${new URLSearchParams({ player }).toString()}`
