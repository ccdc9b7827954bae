import { execFileSync } from "node:child_process"
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

import { build, type Plugin } from "esbuild"

const repository = fileURLToPath(new URL("../../../..", import.meta.url))

/** The programs that a test run starts again and again. */
const sources = {
  service: join(repository, "packages/api/src/main.ts"),
  launcher: join(repository, "packages/actors/src/process/launcher/main.ts"),
  cli: join(repository, "packages/cli/src/main.ts"),
  sim: join(repository, "packages/sim/src/main.ts"),
  adapter: join(repository, "scripts/conformance/adapter.ts")
}
export type Program = keyof typeof sources

/**
 * The programs of each build. Programs of one build share modules, so that each of them also loads modules that only
 * the others need. `atrium` has a build of its own, which saves 40 ms at each of its many starts.
 */
const groups = Map.groupBy(
  Object.entries(sources).map(([out, path]) => ({ in: path, out })),
  ({ out }) => out === "cli"
)

/** The folder of the built programs, for this process and its children. */
const Folder = "ATRIUM_BUILT_PROGRAMS"

/** How a program names another one that it starts, and which one that is. */
const starts: ReadonlyArray<readonly [name: string, program: Program]> = [
  ['new URL("./main.ts", import.meta.url)', "launcher"],
  ['import.meta.resolve("@atrium/sim/main")', "sim"]
]

/** Files that the launcher strips of their types at each start: a run strips them once, which saves 70 ms a start. */
const stripped: ReadonlyMap<string, string> = new Map([
  [
    'import.meta.resolve("@atrium/runtime/boot/boot")',
    join(repository, "packages/runtime/src/boot/boot.ts")
  ],
  [
    'import.meta.resolve("@atrium/runtime/boot/BootWalls")',
    join(repository, "packages/runtime/src/boot/BootWalls.ts")
  ],
  [
    'new URL("./stacks/mapper.ts", import.meta.url)',
    join(repository, "packages/actors/src/process/stacks/mapper.ts")
  ]
])

const strippedPath = (folder: string, source: string): string =>
  join(folder, `${basename(source, ".ts")}.stripped.js`)

/** In a process of its own: Node warns that stripping is experimental. */
const stripTypes = (files: ReadonlyArray<readonly [source: string, written: string]>): void => {
  const program = `
    import { readFileSync, writeFileSync } from "node:fs"
    import { stripTypeScriptTypes } from "node:module"
    for (const [source, written] of JSON.parse(process.argv[1])) {
      writeFileSync(written, stripTypeScriptTypes(readFileSync(source, "utf8")))
    }
  `
  const flags = ["--no-warnings", "--input-type=module", "--eval", program]
  execFileSync(process.execPath, [...flags, JSON.stringify(files)])
}

/**
 * A module finds what lies beside it by its own address, which a bundle would change. A program that
 * starts another one starts the built one.
 */
const keepAddresses = (folder: string): Plugin => ({
  name: "keep-addresses",
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/(?:packages\/[^/]+\/src|scripts)\/.*\.ts$/ }, ({ path }) => {
      const moved = [
        ...starts.map(([name, program]) => [name, builtPath(folder, program)] as const),
        ...[...stripped].map(([name, source]) => [name, strippedPath(folder, source)] as const)
      ]
      const text = moved.reduce(
        (written, [name, at]) => written.replaceAll(name, JSON.stringify(pathToFileURL(at).href)),
        readFileSync(path, "utf8")
      )
      return {
        loader: "ts",
        contents: text
          .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href))
          .replaceAll("import.meta.dirname", JSON.stringify(dirname(path)))
          .replaceAll("import.meta.filename", JSON.stringify(path))
      }
    })
  }
})

const builtPath = (folder: string, program: Program): string => join(folder, `${program}.mjs`)

/**
 * Builds each program into one file. To load the thousand modules of the service takes 1.5 s of
 * processor time, and a test run starts it some hundred times.
 *
 * @param plugins those of programs that people install
 * @returns removes what was built
 */
export const buildPrograms = async (plugins: ReadonlyArray<Plugin>): Promise<() => void> => {
  // An earlier project of the same run has built them.
  if (process.env[Folder] !== undefined) return () => {}
  // Under node_modules, so that the modules that stay outside are found from there.
  const folder = mkdtempSync(join(repository, "node_modules", ".atrium-built-"))
  // A test starts the service as another user.
  chmodSync(folder, 0o755)
  for (const entryPoints of groups.values()) {
    await build({
      entryPoints,
      outdir: folder,
      outExtension: { ".js": ".mjs" },
      bundle: true,
      splitting: true,
      platform: "node",
      format: "esm",
      logLevel: "error",
      // A start reads less, and errors name the same functions.
      minifyWhitespace: true,
      minifySyntax: true,
      // Its program lies beside it.
      external: ["esbuild", "pg-native"],
      banner: {
        js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);'
      },
      plugins: [keepAddresses(folder), ...plugins]
    })
  }
  stripTypes([...stripped.values()].map((source) => [source, strippedPath(folder, source)]))
  process.env[Folder] = folder
  return () => {
    delete process.env[Folder]
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The path of a program as it stands in the repository. */
export const sourceOf = (program: Program): string => sources[program]

/** The path of a program: built within a test run, else its source. */
export const programOf = (program: Program): string => {
  const folder = process.env[Folder]
  return folder === undefined ? sources[program] : builtPath(folder, program)
}
