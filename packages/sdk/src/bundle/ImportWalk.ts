import { realpath } from "node:fs/promises"
import { dirname, join } from "node:path"

import * as esbuild from "esbuild"

const code = /\.(?:[cm]?[jt]sx?|json)$/

/** Pictures, styles and the like import no code. */
const codeAlone: esbuild.Plugin = {
  name: "code-alone",
  setup: ({ onLoad }) =>
    onLoad({ filter: /(?:)/ }, ({ path }) =>
      code.test(path) ? null : { contents: "", loader: "empty" }
    )
}

/**
 * The files by which a program's imports reach one of the targets, from the program to the target, all
 * absolute; `null` = they do not, or cannot be followed. Packages are not looked into. Spec: Project
 * file, client.
 */
export const importChain = async (
  entry: string,
  targets: ReadonlyArray<string>
): Promise<ReadonlyArray<string> | null> => {
  try {
    const start = await realpath(entry)
    const wanted = new Set(await Promise.all(targets.map((target) => realpath(target))))
    return chainTo(await importsFrom(start), start, wanted)
  } catch {
    // A program that does not build yet is another tool's affair.
    return null
  }
}

type Imports = ReadonlyMap<string, ReadonlyArray<string>>

const importsFrom = async (start: string): Promise<Imports> => {
  const root = dirname(start)
  const { metafile } = await esbuild.build({
    entryPoints: [start],
    absWorkingDir: root,
    outdir: root,
    write: false,
    bundle: true,
    metafile: true,
    platform: "browser",
    format: "esm",
    packages: "external",
    logLevel: "silent",
    plugins: [codeAlone]
  })
  const absolute = (path: string): string => join(root, path.split("?", 1)[0] ?? path)
  return new Map(
    Object.entries(metafile.inputs).map(([path, { imports }]) => [
      absolute(path),
      imports.filter((each) => each.external !== true).map((each) => absolute(each.path))
    ])
  )
}

/** The shortest chain, which is the one to cut. */
const chainTo = (
  imports: Imports,
  start: string,
  wanted: ReadonlySet<string>
): ReadonlyArray<string> | null => {
  const seen = new Set([start])
  let chains: ReadonlyArray<ReadonlyArray<string>> = [[start]]
  while (chains.length > 0) {
    const there = chains.find((chain) => wanted.has(chain.at(-1) ?? ""))
    if (there !== undefined) return there
    chains = chains.flatMap((chain) =>
      (imports.get(chain.at(-1) ?? "") ?? []).flatMap((next) => {
        if (seen.has(next)) return []
        seen.add(next)
        return [[...chain, next]]
      })
    )
  }
  return null
}
