import { copyFileSync, mkdirSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"

import { checkoutRoot, copyCheckout } from "../CheckoutCopy.ts"
import type { Patched } from "./PatchSymbol.ts"

/** A copy of the checkout in which one file is another one. */
export interface MutantCheckout {
  /** The path in the copy of a path in this checkout. */
  readonly pathOf: (path: string) => string
  /** The same with every path of this checkout in a value of JSON. */
  readonly relocated: (value: unknown) => unknown
  /** The copy is whole again, and free for the next mutant. */
  readonly giveBack: () => void
}

/**
 * Copies of the checkout, for programs with a fault. A hook of Node's loader would not do: rooms run what the bundler
 * has read, and `boot.ts` as it was read from its file; neither passes a loader of modules. As many copies are made as
 * are in use at once: what node has compiled of one is good for the next mutant.
 */
export class MutantCheckouts {
  readonly #folder: string
  readonly #free: Array<string> = []
  #made = 0

  constructor(folder: string) {
    this.#folder = folder
  }

  /** @param patched the file that differs; `null` = none */
  take(patched: Patched | null): MutantCheckout {
    const root = this.#free.pop() ?? this.#make()
    const pathOf = (path: string): string => join(root, relative(checkoutRoot, path))
    if (patched !== null) writeFileSync(pathOf(patched.file), patched.source)
    return {
      pathOf,
      relocated: (value) =>
        JSON.parse(JSON.stringify(value).replaceAll(`${checkoutRoot}/`, `${root}/`)),
      giveBack: () => {
        if (patched !== null) copyFileSync(patched.file, pathOf(patched.file))
        this.#free.push(root)
      }
    }
  }

  #make(): string {
    const root = join(this.#folder, `checkout-${++this.#made}`)
    mkdirSync(root)
    copyCheckout(root)
    return root
  }
}
