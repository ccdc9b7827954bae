import { spawnSync } from "node:child_process"
import { globSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { basename, dirname, join, posix } from "node:path"

import { repository } from "./Places.ts"

/** Types of what Node 20 and the browsers of its time have. */
const lib = ["es2023", "es2024.string", "dom", "dom.iterable"]

interface Emit {
  /** Modules, relative to the repository; what they import comes along. */
  readonly files: ReadonlyArray<string>
  /** The folder for `<package>/<module>.js`, with declarations and source maps. */
  readonly into: string
  /** A folder of its own for what the compiler writes. */
  readonly staging: string
}

/** Compiles modules of the workspaces, one file for each, so that a bundler leaves out those that nobody uses. */
export const emitModules = ({ files, into, staging }: Emit): void => {
  const outDir = compiled(files, staging)
  for (const path of globSync("**/*.{js,d.ts}", { cwd: outDir }).toSorted()) {
    const written = placeOf(path)
    const text = readFileSync(join(outDir, path), "utf8")
    write(join(into, written), rewritten(written, text))
    if (path.endsWith(".js")) {
      write(
        join(into, `${written}.map`),
        mapOf(path, readFileSync(join(outDir, `${path}.map`), "utf8"))
      )
    }
  }
}

/**
 * Writes the declarations of modules, and of the modules whose types they name. Modules of the
 * workspaces besides their own are not among them.
 */
export const emitDeclarations = ({ files, into, staging }: Emit): void => {
  const outDir = compiled(files, staging)
  const copied = new Set<string>()
  const copy = (path: string): void => {
    if (copied.has(path)) return
    copied.add(path)
    const text = readFileSync(join(outDir, path), "utf8")
    write(join(into, placeOf(path)), rewritten(path, text))
    for (const [, imported = ""] of text.matchAll(/(?:from|import\() ?"(\.[^"]+)\.ts"/g)) {
      copy(posix.join(posix.dirname(path), `${imported}.d.ts`))
    }
  }
  for (const file of files) copy(file.replace(/^packages\//, "").replace(/\.ts$/, ".d.ts"))
}

/** Compiles modules and what they import. @returns the folder of the results */
const compiled = (files: ReadonlyArray<string>, staging: string): string => {
  const outDir = mkdtempSync(join(staging, "emitted-"))
  const project = join(staging, `${basename(outDir)}.json`)
  writeFileSync(project, JSON.stringify(configOf(files, outDir)))
  const tsc = join(repository, "node_modules/typescript/bin/tsc")
  const run = spawnSync(process.execPath, [tsc, "--project", project], { encoding: "utf8" })
  if (run.status !== 0) throw new Error(`tsc ended with ${run.status}:\n${run.stdout}${run.stderr}`)
  return outDir
}

const configOf = (files: ReadonlyArray<string>, outDir: string) => ({
  extends: join(repository, "tsconfig.json"),
  compilerOptions: {
    target: "es2022",
    lib,
    noEmit: false,
    noEmitOnError: true,
    declaration: true,
    sourceMap: true,
    inlineSources: true,
    rewriteRelativeImportExtensions: true,
    allowImportingTsExtensions: false,
    rootDir: join(repository, "packages"),
    outDir,
    // Found in node_modules, a workspace would be somebody else's, and not compiled.
    paths: {
      "@atrium/wire/*": [join(repository, "packages/wire/src/*.ts")],
      "@atrium/runtime/*": [join(repository, "packages/runtime/src/*.ts")]
    },
    plugins: []
  },
  include: [],
  files: files.map((file) => join(repository, file))
})

const write = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** `sdk/src/client.js` is `sdk/client.js` in a package. */
const placeOf = (path: string): string => path.replace("/src/", "/")

/** Imports of workspaces become relative: the package depends on none of them. */
const rewritten = (path: string, text: string): string =>
  text
    .replace(/"@atrium\/(wire|runtime)\/([^"]+)"/g, (_, name: string, module: string) => {
      const to = posix.relative(posix.dirname(path), `${name}/${module}.js`)
      return JSON.stringify(to.startsWith(".") ? to : `./${to}`)
    })
    .replace(/((?:from|import) ?\(?)"(\.{1,2}\/[^"]+)\.ts"/g, '$1"$2.js"')

/** The source lies, for a debugger, beside the module. */
const mapOf = (path: string, text: string): string => {
  const source = `${basename(path, ".js")}.ts`
  return JSON.stringify({ ...JSON.parse(text), sourceRoot: undefined, sources: [source] })
}
