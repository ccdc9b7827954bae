import { fileURLToPath } from "node:url"

/** The examples of the clone; the packed command has them beside it. */
export const examplesFolder = fileURLToPath(new URL("../../../../examples/", import.meta.url))

export interface Template {
  readonly name: "arena" | "turns" | "relay" | "blank"
  /** Folder of the example that the template is. */
  readonly example: string
  readonly says: string
}

/** What `atrium init` starts from. The first is the default. */
export const templates: readonly [Template, ...ReadonlyArray<Template>] = [
  { name: "arena", example: "arena", says: "20 ticks a second: players run and collect coins" },
  { name: "turns", example: "tic-tac-toe", says: "a game in turns, with seats and spectators" },
  { name: "relay", example: "whiteboard", says: "no room code: clients share state and draw" },
  { name: "blank", example: "blank", says: "one number and one button" }
]

/** `arena, turns, relay or blank` */
export const templateNames = templates
  .map(({ name }) => name)
  .join(", ")
  .replace(/, (\w+)$/, " or $1")

export const findTemplate = (name: string): Template | undefined =>
  templates.find((template) => template.name === name)
