import { relative, resolve } from "node:path"

import { Effect } from "effect"

import { isSchemaFile, type ProjectFolder } from "../projects/ProjectFolder.ts"

/**
 * Warns when the client that the project file names imports room code, which would be in the page for
 * all to read. What cannot be followed warns of nothing. Spec: Project file, client.
 */
export const clientWarnings = Effect.fn("ClientWalk.walk")(function* (folder: ProjectFolder) {
  const { root, entries, shownPath, file } = folder
  if (file.client === undefined) return []
  const client = resolve(root, file.client)
  const rooms = entries.filter((entry) => !isSchemaFile(entry))
  const chain = yield* Effect.promise(async () => {
    const { importChain } = await import("@atrium/sdk/bundle/ImportWalk")
    return importChain(client, rooms)
  })
  if (chain === null) return []
  const way = chain.map((path) => relative(root, path)).join(" > ")
  return [
    `${shownPath}: client imports room code, which every player can read then: ${way}; move what both need to a file of its own`
  ]
})
