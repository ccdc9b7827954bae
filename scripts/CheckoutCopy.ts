import { cpSync, mkdirSync, readdirSync, symlinkSync } from "node:fs"
import { basename, join } from "node:path"

/** The folder of this checkout. */
export const checkoutRoot = join(import.meta.dirname, "..")

/** What nobody wrote: it is made anew, or linked. */
const made: ReadonlySet<string> = new Set(["node_modules", "dist", ".atrium", "coverage"])

const packagesFolder = join(checkoutRoot, "packages")

/**
 * Copies the sources of this checkout into a folder, where every program runs that runs here: also those that are read
 * from files, as the bundler and the starter of room processes read them. Modules of others are linked.
 *
 * @param packages names of those that are copied
 */
export const copyCheckout = (
  copy: string,
  packages: ReadonlyArray<string> = readdirSync(packagesFolder)
): void => {
  const paths = [
    "package.json",
    "scripts",
    "examples",
    ...packages.map((name) => `packages/${name}`)
  ]
  for (const path of paths) {
    cpSync(join(checkoutRoot, path), join(copy, path), {
      recursive: true,
      filter: (source) => !made.has(basename(source))
    })
  }
  const modules = join(copy, "node_modules")
  mkdirSync(join(modules, "@atrium"), { recursive: true })
  for (const name of readdirSync(join(checkoutRoot, "node_modules"))) {
    if (name === "@atrium" || (name.startsWith(".") && name !== ".bin")) continue
    symlinkSync(join(checkoutRoot, "node_modules", name), join(modules, name))
  }
  for (const name of packages) {
    symlinkSync(join(copy, "packages", name), join(modules, "@atrium", name))
  }
}
