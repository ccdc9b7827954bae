import { copyFileSync, cpSync, globSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"

import type { Plugin } from "esbuild"

import { bundleProgram } from "./BundledProgram.ts"
import { templateSources } from "./Inputs.ts"
import { writeManifest } from "./Manifest.ts"
import { repository } from "./Places.ts"
import { lazyBuiltins, lazyParts, singleModules, withSingleModules } from "./QuickStart.ts"
import { platformImports } from "./SdkPackage.ts"

const dependencies = ["esbuild", "yaml"]

const programs = { atrium: "packages/cli/src/main.ts", sim: "packages/sim/src/main.ts" }
const quickStart = [lazyBuiltins, lazyParts, singleModules]

/**
 * `@atrium/cli`: the command, the program of `atrium sim` beside it, and the SDK that room code gets
 * when its project has none.
 *
 * @param sdk folder of the SDK's package
 */
export const makeCli = async (folder: string, sdk: string): Promise<void> => {
  // Programs of one build share modules, with all that any of them needs: each has a build of its own.
  for (const [name, source] of Object.entries(programs)) {
    await bundleProgram({
      entryPoints: { [name]: source },
      outdir: join(folder, "dist"),
      external: dependencies,
      plugins: [sdkBeside, simBeside, templatesBeside, ...quickStart]
    })
  }
  copyTemplates(join(folder, "templates"))
  // Bundled beside a game's schema, by the name of the SDK: it stays as it is written.
  copyFileSync(
    join(repository, "packages/sim/src/init/DescribeEntry.ts"),
    join(folder, "dist/DescribeEntry.js")
  )
  cpSync(join(sdk, "dist"), join(folder, "sdk"), {
    recursive: true,
    filter: (path) => !path.endsWith(".d.ts")
  })
  writeManifest("cli", {
    folder,
    dependencies,
    more: {
      bin: { atrium: "./dist/atrium.js" },
      files: ["dist", "sdk", "templates"],
      // A room's bundle leaves out what it does not use of the SDK.
      sideEffects: ["./dist/*.js"],
      imports: platformImports("./sdk"),
      exports: { "./package.json": "./package.json" }
    }
  })
}

/** The SDK's modules are not bundled: room code is bundled with the same files. */
const sdkBeside: Plugin = {
  name: "sdk-beside",
  setup: ({ onResolve }) => {
    onResolve({ filter: /^@atrium\/sdk\// }, ({ path }) => ({
      path: `../sdk/sdk/${path.slice("@atrium/sdk/".length)}.js`,
      external: true
    }))
  }
}

interface Beside {
  readonly name: string
  /** The one module that names the place. */
  readonly module: RegExp
  /** The place as the module names it. */
  readonly named: string
  /** The place as it is in the package. */
  readonly packed: string
}

/** What the repository has elsewhere lies beside the program. */
const beside = ({ name, module, named, packed }: Beside): Plugin => ({
  name,
  setup: ({ onLoad }) => {
    onLoad({ filter: module }, async ({ path }) => {
      const text = await readFile(path, "utf8")
      if (!text.includes(named)) throw new Error(`${path}: does not name ${named}`)
      return { contents: withSingleModules(text.replace(named, packed)), loader: "ts" }
    })
  }
})

const simBeside = beside({
  name: "sim-beside",
  module: /\/packages\/cli\/src\/sim\/simulate\.ts$/,
  named: 'import.meta.resolve("@atrium/sim/main")',
  packed: 'new URL("./sim.js", import.meta.url).href'
})

const templatesBeside = beside({
  name: "templates-beside",
  module: /\/packages\/cli\/src\/templates\/Templates\.ts$/,
  named: '"../../../../examples/"',
  packed: '"../templates/"'
})

/** The examples as they are, with their tests: what `atrium init` writes. */
const copyTemplates = (into: string): void => {
  const examples = join(repository, "examples")
  for (const path of globSync(templateSources, { cwd: examples })) {
    cpSync(join(examples, path), join(into, path))
  }
}
