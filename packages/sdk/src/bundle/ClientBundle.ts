import { basename, dirname, join, relative, sep } from "node:path"

import * as esbuild from "esbuild"

import { sdkBeside } from "./RoomImports.ts"

/** What one build of a browser client has made. */
export interface ClientBuild {
  /** Name, with / between its parts, to content; `null` = it does not build, and `messages` say why. */
  readonly files: ReadonlyMap<string, Uint8Array> | null
  /** `file:line:col text`, relative to the root: errors, or warnings. */
  readonly messages: ReadonlyArray<string>
}

export interface ClientBundler {
  readonly build: () => Promise<ClientBuild>
  readonly end: () => Promise<void>
}

const pictures = [".avif", ".gif", ".glb", ".ico", ".jpeg", ".jpg", ".png", ".svg", ".webp"]
const sounds = [".m4a", ".mp3", ".ogg", ".opus", ".wav", ".webm"]
const fonts = [".otf", ".ttf", ".woff", ".woff2"]

/**
 * Bundles a browser client in memory, again at every call. `client.ts` becomes `client.js`, with its
 * source map in it; styles become `client.css`, and pictures, sounds and fonts files of their own.
 *
 * @param entry absolute
 * @param root the project's folder: messages name files relative to it
 */
export const makeClientBundler = async (entry: string, root: string): Promise<ClientBundler> => {
  // Nothing is written there: the place decides how the results are named.
  const outdir = join(dirname(entry), ".atrium-client")
  const context = await esbuild.context({
    entryPoints: [{ in: entry, out: basename(entry).replace(/\.[^.]+$/, "") }],
    absWorkingDir: root,
    outdir,
    publicPath: "/",
    write: false,
    bundle: true,
    platform: "browser",
    // The checks of schemas are part of it: C-660.
    conditions: ["development", "module"],
    format: "esm",
    target: "es2022",
    charset: "utf8",
    sourcemap: "inline",
    define: { "process.env.NODE_ENV": '"development"' },
    loader: Object.fromEntries([...pictures, ...sounds, ...fonts].map((name) => [name, "file"])),
    logLevel: "silent",
    plugins: [sdkBeside]
  })
  const nameOf = (path: string): string => relative(outdir, path).split(sep).join("/")
  return {
    build: async () => {
      try {
        const { outputFiles = [], warnings } = await context.rebuild()
        const files = outputFiles.map(({ path, contents }) => [nameOf(path), contents] as const)
        return { files: new Map(files), messages: warnings.map(line) }
      } catch (error) {
        if (!isBuildFailure(error)) throw error
        return { files: null, messages: error.errors.map(line) }
      }
    },
    end: () => context.dispose()
  }
}

const isBuildFailure = (error: unknown): error is esbuild.BuildFailure =>
  error instanceof Error && "errors" in error && Array.isArray(error.errors)

/** Columns count from 1, as editors show them. */
const line = ({ location, text }: esbuild.Message): string =>
  location === null ? text : `${location.file}:${location.line}:${location.column + 1} ${text}`
