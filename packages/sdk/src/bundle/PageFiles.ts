import { basename } from "node:path"

import * as esbuild from "esbuild"

/** The files of a page that is made of modules. Their names hold a hash of their content. */
export interface PageFiles {
  /** By name. */
  readonly files: ReadonlyMap<string, Uint8Array>
  /** What the first load of an entry takes: its script, its styles, and the scripts that these import at once. */
  readonly first: ReadonlyMap<string, FirstLoad>
}

interface FirstLoad {
  readonly script: string
  /** Absent = the entry imports no style. */
  readonly style?: string
  readonly imports: ReadonlyArray<string>
}

/**
 * Bundles the entries of a page for browsers, minified, in parts that load when they are wanted. JSX is
 * Preact's. Rejects with the words of the bundler.
 *
 * @param entries absolute, by name
 */
export const bundlePageFiles = async (
  entries: Readonly<Record<string, string>>
): Promise<PageFiles> => {
  const { outputFiles, metafile } = await esbuild.build({
    entryPoints: { ...entries },
    // Nothing is written there.
    outdir: "/page",
    absWorkingDir: "/",
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    write: false,
    metafile: true,
    bundle: true,
    splitting: true,
    minify: true,
    platform: "browser",
    format: "esm",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    jsx: "automatic",
    jsxImportSource: "preact",
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "silent"
  })
  const files = new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]))
  const outputs = new Map(
    Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output])
  )
  const first = Object.keys(entries).map((name): readonly [string, FirstLoad] => {
    const found = [...outputs].find(
      ([file, { entryPoint }]) => entryPoint !== undefined && file.startsWith(`${name}-`)
    )
    if (found === undefined) throw new Error(`esbuild gave no script for ${name}`)
    const [script, { cssBundle }] = found
    const style = cssBundle === undefined ? {} : { style: basename(cssBundle) }
    return [name, { script, ...style, imports: importsOf(script, outputs) }]
  })
  return { files, first: new Map(first) }
}

type Outputs = ReadonlyMap<string, esbuild.Metafile["outputs"][string]>

/** The scripts that a script imports at once, through others, too; without itself. */
const importsOf = (script: string, outputs: Outputs): ReadonlyArray<string> => {
  const found = new Set([script])
  for (const file of found) {
    for (const { path, kind } of outputs.get(file)?.imports ?? []) {
      if (kind === "import-statement") found.add(basename(path))
    }
  }
  found.delete(script)
  return [...found]
}
