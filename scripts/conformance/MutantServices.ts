import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

import { sourceOf } from "@atrium/api/testing/BuiltPrograms"

import { ownMutantOf } from "./OwnMutants.ts"
import { type OwnService, startOwnService } from "./OwnService.ts"
import { patchSymbol } from "./PatchSymbol.ts"

const hook = pathToFileURL(join(import.meta.dirname, "MutantHook.ts"))

/** The load hook that puts a mutant into whatever a node runs; its source lies in the folder. */
const nodeArgsFor = async (mutant: string, folder: string): Promise<ReadonlyArray<string>> => {
  const { file, source } = patchSymbol(ownMutantOf(mutant))
  const changed = join(folder, `${mutant}.ts`)
  await writeFile(changed, source)
  const url = new URL(hook)
  url.searchParams.set("file", pathToFileURL(file).href)
  url.searchParams.set("source", changed)
  return ["--import", url.href]
}

interface Options {
  /** Takes the sources of mutants and what node has compiled: a mutant differs in one module. */
  readonly folder: string
  readonly makeDatabase: () => Promise<string>
}

/** A service for each mutant that breaks one; those that break the tool alone share a whole one. */
export class MutantServices {
  readonly #options: Options
  #whole: Promise<OwnService> | null = null

  constructor(options: Options) {
    this.#options = options
  }

  async start(mutant: string | null) {
    if (mutant !== null && ownMutantOf(mutant).part === "tool") return this.#withTool(mutant)
    const { folder } = this.#options
    const { config, stop } = await this.#service(
      mutant === null ? [] : await nodeArgsFor(mutant, folder)
    )
    return { config, stop }
  }

  async stop(): Promise<void> {
    const whole = await this.#whole?.catch(() => null)
    await whole?.stop()
  }

  async #service(nodeArgs: ReadonlyArray<string>): Promise<OwnService> {
    return startOwnService({
      databaseUrl: await this.#options.makeDatabase(),
      nodeArgs,
      // The hook changes modules as they are loaded.
      pathOf: sourceOf,
      env: { NODE_COMPILE_CACHE: join(this.#options.folder, "compiled") }
    })
  }

  async #withTool(mutant: string) {
    const whole = await (this.#whole ??= this.#service([]))
    const config: unknown = JSON.parse(await readFile(whole.config, "utf8"))
    const { folder } = this.#options
    const path = join(folder, `${mutant}.json`)
    await writeFile(path, JSON.stringify(hooked(config, await nodeArgsFor(mutant, folder))))
    return { config: path, stop: () => Promise.resolve() }
  }
}

/** The configuration with the hook in whatever it lets the suite run. */
const hooked = (config: unknown, nodeArgs: ReadonlyArray<string>): unknown => ({
  ...Object(config),
  ...Object.fromEntries(
    ["cli", "adapter", "selfRun"].flatMap((name) => {
      const { argv, ...rest }: { readonly argv?: unknown } = Object(Object(config)[name])
      if (!Array.isArray(argv)) return []
      const [program, ...args]: ReadonlyArray<unknown> = argv
      return [[name, { ...rest, argv: [program, ...nodeArgs, ...args] }]]
    })
  )
})
