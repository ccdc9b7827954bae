import { realpath } from "node:fs/promises"
import { isAbsolute, join, relative, resolve, sep } from "node:path"

import { BundleLimits } from "@atrium/wire/deployments/BundleLimits"
import * as esbuild from "esbuild"

import { BundleError } from "./BundleError.ts"
import { oneScript } from "./ProgramBundle.ts"
import { EntrySource, RoomImportDetail, roomImports } from "./RoomImports.ts"
import { SourceNames } from "./SourceNames.ts"

export interface BundleOptions {
  /** Files that export rooms, relative to `resolveDir` or absolute. */
  readonly entries: ReadonlyArray<string>
  /** The project's folder: imports and source names start here. */
  readonly resolveDir: string
}

export interface Bundle {
  /** One CommonJS script: `connect` of the SDK's runtime, and `rooms`: `file#export` -> value. */
  readonly bytes: Uint8Array
  /** `file:line:col text` */
  readonly warnings: ReadonlyArray<string>
}

/**
 * Bundles room code with the SDK's runtime into one script. The same project gives the same bytes
 * wherever it lies. Rejects with `BundleError`.
 */
export const bundleRooms = async (options: BundleOptions): Promise<Bundle> => {
  if (options.entries.length === 0) throw invalid("no room file is given")
  const root = await realpath(options.resolveDir).catch(() => {
    throw invalid(`${options.resolveDir}: there is no such folder`)
  })
  const names = new SourceNames(root)
  const built = await build(root, await entryPaths(options.entries, root)).catch((error: unknown) =>
    refuse(error, names)
  )
  await names.add(Object.keys(built.metafile.inputs))
  const bytes = await assemble(built.outputFiles, names)
  if (bytes.byteLength > BundleLimits.bundleBytes.max) {
    const text = `the bundle has ${bytes.byteLength} bytes, at most ${BundleLimits.bundleBytes.max}`
    throw new BundleError("E_BUNDLE_TOO_LARGE", [text])
  }
  await names.add(filesOf(built.warnings))
  return { bytes, warnings: built.warnings.map((message) => line(message, names)) }
}

/** Ends the bundler's own process, which otherwise waits for the next bundle. */
export const endBundler = (): Promise<void> => esbuild.stop()

let users = 0

/** Bundles, and ends the bundler's own process unless somebody else in this program bundles too. */
export const withBundler = async <Made>(make: () => Promise<Made>): Promise<Made> => {
  users++
  try {
    return await make()
  } finally {
    users--
    if (users === 0) await endBundler()
  }
}

const entryPaths = async (
  entries: ReadonlyArray<string>,
  root: string
): Promise<ReadonlyArray<string>> => {
  const paths: Array<string> = []
  for (const entry of entries) {
    const file = await realpath(resolve(root, entry)).catch(() => {
      throw invalid(`${entry}: there is no such file`)
    })
    const path = relative(root, file).split(sep).join("/")
    paths.push(isAbsolute(path) || path.startsWith(".") ? path : `./${path}`)
  }
  return paths
}

const build = (root: string, paths: ReadonlyArray<string>) =>
  esbuild.build({
    stdin: {
      contents: entrySource(paths),
      resolveDir: root,
      sourcefile: EntrySource,
      loader: "js"
    },
    absWorkingDir: root,
    // Nothing is written; the place decides what the paths in the source map are relative to.
    outfile: join(root, "rooms.js"),
    ...oneScript,
    sourcemap: "external",
    sourcesContent: true,
    metafile: true,
    define: { "process.env.NODE_ENV": '"production"' },
    plugins: [roomImports]
  })

const entrySource = (paths: ReadonlyArray<string>): string => {
  const imports = paths.map(
    (path, place) => `import * as entry${place} from ${JSON.stringify(path)}`
  )
  const named = paths.map((path, place) => {
    const prefix = JSON.stringify(`${path.replace(/^\.\//, "")}#`)
    return `...Object.entries(entry${place}).map(([name, value]) => [${prefix} + name, value])`
  })
  return [
    'export { connect } from "@atrium/sdk/runtime"',
    ...imports,
    `export const rooms = Object.fromEntries([${named.join(", ")}])`,
    ""
  ].join("\n")
}

const assemble = async (
  files: ReadonlyArray<esbuild.OutputFile>,
  names: SourceNames
): Promise<Uint8Array> => {
  const script = files.find(({ path }) => path.endsWith(".js"))
  const map = files.find(({ path }) => path.endsWith(".js.map"))
  if (script === undefined || map === undefined) throw new Error("esbuild gave no script")
  const code = renameModules(script.text, names.changed)
  const base64 = Buffer.from(await renameSources(map.text, names)).toString("base64")
  const comment = `//# sourceMappingURL=data:application/json;base64,${base64}\n`
  return new TextEncoder().encode(code + comment)
}

// esbuild writes a module's path above it as a comment and, for CommonJS, as its wrapper's key. Whole
// lines are compared and no line is added, so the source map stays right.
const renameModules = (code: string, changed: ReadonlyMap<string, string>): string => {
  const comments = new Map<string, string>()
  const keys = new Map<string, string>()
  for (const [input, name] of changed) {
    comments.set(`// ${input}`, `// ${name}`)
    keys.set(`  ${JSON.stringify(input)}(`, `  ${JSON.stringify(name)}(`)
  }
  const lines = code.split("\n")
  return lines
    .map((text, at) => {
      if (text.startsWith("// ")) return comments.get(text) ?? text
      if (!text.startsWith('  "') || lines[at - 1]?.endsWith("({") !== true) return text
      const key = text.slice(0, text.indexOf('"(') + 2)
      return (keys.get(key) ?? key) + text.slice(key.length)
    })
    .join("\n")
}

const renameSources = async (text: string, names: SourceNames): Promise<string> => {
  // Written by esbuild a moment ago.
  const map = JSON.parse(text) as { readonly sources: ReadonlyArray<string> }
  // A package that brings source maps of its own names files that are no inputs.
  await names.add(map.sources)
  return JSON.stringify({ ...map, sources: map.sources.map((source) => names.of(source)) })
}

const refuse = async (error: unknown, names: SourceNames): Promise<never> => {
  if (!isBuildFailure(error)) throw error
  await names.add(filesOf(error.errors))
  const imports = error.errors.some(({ detail }) => detail === RoomImportDetail)
  const messages = error.errors.map((message) => line(message, names))
  throw new BundleError(imports ? "E_ROOM_IMPORT" : "E_BUNDLE_INVALID", messages)
}

const isBuildFailure = (error: unknown): error is esbuild.BuildFailure =>
  error instanceof Error && "errors" in error && Array.isArray(error.errors)

const filesOf = (messages: ReadonlyArray<esbuild.Message>): ReadonlyArray<string> =>
  messages.flatMap(({ location }) => (location === null ? [] : [location.file]))

/** Columns count from 1, as editors show them. */
const line = ({ location, text }: esbuild.Message, names: SourceNames): string =>
  location === null || location.file === EntrySource
    ? text
    : `${names.of(location.file)}:${location.line}:${location.column + 1} ${text}`

const invalid = (text: string): BundleError => new BundleError("E_BUNDLE_INVALID", [text])
