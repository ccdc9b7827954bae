import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

import { declarationText, readable } from "./reference/DeclarationText.ts"
import { publicExports, type PublicExport } from "./reference/PublicExports.ts"

const path = fileURLToPath(new URL("../docs/guide/reference.md", import.meta.url))

/** What a game imports, in the order in which a newcomer meets it. */
const modules = [
  ["schema", "What a room's state, messages, RPCs and persisted player fields hold."],
  ["room", "What room code imports. It runs in the service."],
  ["client", "What a game imports: browsers, bundlers, Node from 20 on."],
  ["react", "Rooms in React, from 18 on."],
  ["leaderboard", "Scores of players: what room code submitted, for clients."],
  ["match", "Players who wait meet in a room."],
  ["physics", "A physics world for rooms, with the game's own Rapier."],
  ["predict", "The bodies of a room on the client, ahead of what the room tells."],
  ["voice", "Players of a room talk with each other."],
  ["replay", "Clips and recordings, drawn by the game's own page."],
  ["presence", "Where players are."],
  ["account", "Several devices that are one player."],
  ["rooms", "The open list of rooms, to choose from."],
  ["testing", "Tests of rooms without a service, in virtual time."],
  ["migration", "Migrations of stored rooms and players."],
  ["saves", "Save generations of rooms, for tools of a game's developer."]
] as const

const head = `# Reference

What \`@atrium/sdk\` exports, from the comments in its source. \`npm run docs:reference\` writes this page. Examples of all of
it in use are [examples/arena](../../examples/arena), [examples/tic-tac-toe](../../examples/tic-tac-toe),
[examples/marbles](../../examples/marbles), [examples/cards](../../examples/cards) and [examples/whiteboard](../../examples/whiteboard); what the codes mean is in [codes.md](codes.md).
`

/** Exports without a comment, of which the page could say nothing. */
export const undocumented = (): ReadonlyArray<string> =>
  modules.flatMap(([name]) =>
    publicExports(`packages/sdk/src/${name}.ts`)
      .filter(({ doc }) => doc === null)
      .map((each) => `${name}: ${each.name}`)
  )

const entry = (each: PublicExport): string =>
  [
    `### ${each.name}`,
    readable(each.doc ?? "").replace(/^@param (\S+) /gm, "`$1`: "),
    `\`\`\`ts\n${declarationText(each)}\n\`\`\``,
    ""
  ].join("\n\n")

const contents = (exports: ReadonlyArray<PublicExport>): string =>
  exports.map(({ name }) => `[\`${name}\`](#${name.toLowerCase()})`).join(", ")

/** The text of docs/guide/reference.md. */
export const referencePage = (): string => {
  const sections = modules.map(([name, says]) => {
    const exports = publicExports(`packages/sdk/src/${name}.ts`)
    return [`## @atrium/sdk/${name}`, `${says} ${contents(exports)}.`, ...exports.map(entry)].join(
      "\n\n"
    )
  })
  return `${[head, ...sections]
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trimEnd()}\n`
}

/** The page as it is in the repository. */
export const storedPage = (): string => readFileSync(path, "utf8")

if (import.meta.main) writeFileSync(path, referencePage())
