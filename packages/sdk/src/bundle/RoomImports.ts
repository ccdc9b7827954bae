import { isBuiltin } from "node:module"
import { fileURLToPath } from "node:url"

import type { OnResolveArgs, OnResolveResult, Plugin, PluginBuild } from "esbuild"

/** Marks a message of esbuild as one about an import that rooms must not have. */
export const RoomImportDetail = "E_ROOM_IMPORT"

/** The path under which the generated entry appears in messages. */
export const EntrySource = "atrium-entry.js"

const OwnFolder = fileURLToPath(new URL(".", import.meta.url))
const Resolved = Symbol("resolved by roomImports")

/** Says which imports room code may have: its own files, npm packages, the SDK; nothing of Node. */
export const roomImports: Plugin = {
  name: "room-imports",
  setup: (build) => {
    build.onResolve({ filter: /^(?:node:|[a-z])/ }, ({ path }) =>
      path.startsWith("node:") || isBuiltin(path) ? refusal(path) : undefined
    )
    build.onResolve({ filter: /^@atrium\/sdk(?:\/|$)/ }, (args) => resolveSdk(build, args))
  }
}

const refusal = (path: string): OnResolveResult => ({
  errors: [{ text: `E_ROOM_IMPORT: ${path}: a room has no Node modules`, detail: RoomImportDetail }]
})

// A project without the SDK in its node_modules gets the one that bundles it.
const resolveSdk = async (
  build: PluginBuild,
  args: OnResolveArgs
): Promise<OnResolveResult | undefined> => {
  if (args.pluginData === Resolved) return undefined
  const { importer, kind, namespace } = args
  const request = { importer, kind, namespace, pluginData: Resolved }
  const own = await build.resolve(args.path, { ...request, resolveDir: args.resolveDir })
  if (own.errors.length === 0) return own
  return build.resolve(args.path, { ...request, resolveDir: OwnFolder })
}
