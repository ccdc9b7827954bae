import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"

import { sourceOf } from "@atrium/api/testing/BuiltPrograms"

import { type MutantCheckout, MutantCheckouts } from "./MutantCheckouts.ts"
import { ownMutantOf } from "./OwnMutants.ts"
import { type OwnService, startOwnService } from "./OwnService.ts"
import { patchSymbol } from "./PatchSymbol.ts"

interface Options {
  /** Takes the copies of the checkout and what node has compiled: a mutant differs in one module. */
  readonly folder: string
  readonly makeDatabase: () => Promise<string>
}

/** A service for each mutant that breaks one; those that break the tool alone share a whole one. */
export class MutantServices {
  readonly #options: Options
  readonly #checkouts: MutantCheckouts
  #whole: Promise<OwnService> | null = null

  constructor(options: Options) {
    this.#options = options
    this.#checkouts = new MutantCheckouts(options.folder)
  }

  async start(mutant: string | null) {
    const own = mutant === null ? null : ownMutantOf(mutant)
    const checkout = this.#checkouts.take(own === null ? null : patchSymbol(own))
    try {
      const shared = own?.part === "tool"
      const service = await (shared ? this.#shared() : this.#service(checkout.pathOf))
      const config = await this.#configFor(service, checkout, mutant ?? "whole")
      const stop = async (): Promise<void> => {
        if (!shared) await service.stop()
        checkout.giveBack()
      }
      return { config, stop }
    } catch (cause) {
      checkout.giveBack()
      throw cause
    }
  }

  async stop(): Promise<void> {
    const whole = await this.#whole?.catch(() => null)
    await whole?.stop()
  }

  #shared(): Promise<OwnService> {
    return (this.#whole ??= this.#service((path) => path))
  }

  async #service(pathOf: MutantCheckout["pathOf"]): Promise<OwnService> {
    return startOwnService({
      databaseUrl: await this.#options.makeDatabase(),
      pathOf: (program) => pathOf(sourceOf(program)),
      env: { NODE_COMPILE_CACHE: join(this.#options.folder, "compiled") }
    })
  }

  /** The configuration, with what the suite runs, and the projects that it deploys, from the copy. */
  async #configFor(service: OwnService, checkout: MutantCheckout, name: string): Promise<string> {
    const config: unknown = JSON.parse(await readFile(service.config, "utf8"))
    const path = join(this.#options.folder, `${name}.json`)
    await writeFile(path, JSON.stringify(checkout.relocated(config)))
    return path
  }
}
