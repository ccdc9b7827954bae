import { mkdir, writeFile } from "node:fs/promises"

import { build, type Plugin } from "esbuild"

import { repository } from "./Places.ts"
import { requiredHttp } from "./RequiredHttp.ts"

interface Program {
  /** The modules that are started, by the names of their files in the package. */
  readonly entryPoints: Readonly<Record<string, string>>
  readonly outdir: string
  /** Packages that an install brings along. */
  readonly external: ReadonlyArray<string>
  readonly plugins: ReadonlyArray<Plugin>
}

/** Bundles a program with everything but some public packages. The same sources give the same bytes. */
export const bundleProgram = async (program: Program): Promise<void> => {
  const { outputFiles } = await build({
    write: false,
    entryPoints: { ...program.entryPoints },
    outdir: program.outdir,
    absWorkingDir: repository,
    bundle: true,
    splitting: true,
    chunkNames: "[name]-[hash]",
    platform: "node",
    target: "node20",
    format: "esm",
    charset: "utf8",
    legalComments: "none",
    sourcemap: true,
    logLevel: "error",
    external: [...program.external],
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);'
    },
    plugins: [...program.plugins, noApiPages, requiredHttp]
  })
  await mkdir(program.outdir, { recursive: true })
  for (const { path, text } of outputFiles) {
    await writeFile(path, path.endsWith(".map") ? withOwnSources(text) : text)
  }
}

/** Effect's pages for an API are five megabytes, which no program of a developer serves. */
const noApiPages: Plugin = {
  name: "no-api-pages",
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/httpApi(?:Scalar|Swagger)\.js$/ }, () => ({ contents: "export {}" }))
  }
}

/** A map with the sources of this repository; those of public packages are where they are published. */
const withOwnSources = (text: string): string => {
  const map: {
    readonly sources: ReadonlyArray<string>
    readonly sourcesContent: ReadonlyArray<string>
  } = JSON.parse(text)
  const sourcesContent = map.sourcesContent.map((content, at) =>
    map.sources[at]?.includes("node_modules/") === true ? null : content
  )
  const sources = map.sources.map((source) => source.replace(/^(?:\.\.\/)+/, ""))
  return JSON.stringify({ ...map, sources, sourcesContent })
}
