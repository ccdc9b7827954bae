import { existsSync } from "node:fs"
import { isBuiltin } from "node:module"
import { resolve } from "node:path"
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
    sdkBeside.setup(build)
  }
}

/** Gives a project without the SDK in its node_modules the one that bundles it. */
export const sdkBeside = {
  name: "sdk-beside",
  setup: (build: PluginBuild): void =>
    build.onResolve({ filter: /^@atrium\/sdk(?:\/|$)/ }, (args) => resolveSdk(build, args))
}

const refusal = (path: string): OnResolveResult => ({
  errors: [{ text: `E_ROOM_IMPORT: ${path}: a room has no Node modules`, detail: RoomImportDetail }]
})

const resolveSdk = async (
  build: PluginBuild,
  args: OnResolveArgs
): Promise<OnResolveResult | undefined> => {
  if (args.pluginData === Resolved) return undefined
  const { importer, kind, namespace } = args
  const request = { importer, kind, namespace, pluginData: Resolved }
  const own = await build.resolve(args.path, { ...request, resolveDir: args.resolveDir })
  if (own.errors.length === 0) return own
  const beside = moduleBeside(args.path)
  if (beside !== null) return { path: beside, sideEffects: false }
  return build.resolve(args.path, { ...request, resolveDir: OwnFolder })
}

/** The file of a public module, in this copy of the SDK; `null` = it has no such module. */
const moduleBeside = (path: string): string | null => {
  const name = /^@atrium\/sdk\/([a-z]+)$/.exec(path)?.[1]
  if (name === undefined) return null
  const extension = import.meta.url.slice(import.meta.url.lastIndexOf("."))
  const file = resolve(OwnFolder, "..", `${name}${extension}`)
  return existsSync(file) ? file : null
}
