import { roomPath } from "@atrium/wire/frames/RoomPath"

import type { FirstProject } from "./FirstProject.ts"
import type { ServiceConfig } from "./ServiceConfig.ts"

interface Shown {
  readonly version: string
  readonly url: string
  /** The listener of operators; `null` = there is none. */
  readonly privateUrl: string | null
  readonly database: string
  readonly config: ServiceConfig
  readonly first: FirstProject
}

/** What the terminal shows when the service is up; the last line is for programs. */
export const banner = ({ version, url, privateUrl, database, config, first }: Shown): string => {
  const { token, demo } = first
  const play = config.playground && demo !== null
  const lines = [
    "",
    `  Atrium ${version}`,
    "",
    `  http       ${url}`,
    `  websocket  ${url.replace(/^http/, "ws")}${roomPath("{project}", "{room}")}`,
    `  data       ${config.dataDir} (${database})`
  ]
  if (privateUrl !== null) lines.push(`  private    ${privateUrl}`)
  if (demo !== null) lines.push(`  project    ${demo.projectId} (demo: arena, tic-tac-toe)`)
  if (play) lines.push(`  play       ${url}/play/arena, in two tabs`)
  lines.push(`  console    ${url}/console`, `  api        ${url}/docs`)
  if (token !== null) {
    lines.push("", `  Your login token, shown this once:`, `  ${token}`)
  }
  lines.push(
    "",
    "  Try next, in a second terminal:",
    "    npm run demo                 two players in one arena",
    "    npx atrium login             logs the command line in, with that token in a browser",
    "    npx atrium dev examples/arena",
    "                                 edit the game; it is deployed as you save",
    "",
    `ready ${url}`
  )
  return lines.join("\n")
}
