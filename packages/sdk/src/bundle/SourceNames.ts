import { readFile } from "node:fs/promises"
import { dirname, relative, resolve, sep } from "node:path"

/**
 * Names for the sources of a bundle that do not depend on where the project lies: files of the
 * project by their relative path, others as `package@version/path`.
 */
export class SourceNames {
  readonly #root: string
  readonly #names = new Map<string, string>()
  readonly #packages = new Map<string, Promise<Package | null>>()

  /** @param root the real path of the project's folder */
  constructor(root: string) {
    this.#root = root
  }

  /** Prepares the names of esbuild's inputs, which are relative to the project's folder. */
  async add(inputs: Iterable<string>): Promise<void> {
    for (const input of inputs) {
      const file = resolve(this.#root, input)
      const inside = file.startsWith(this.#root + sep)
      this.#names.set(input, inside ? input : await this.#packageName(input, file))
    }
  }

  of(input: string): string {
    return this.#names.get(input) ?? input
  }

  /** Every name that is not simply the input. */
  get changed(): ReadonlyMap<string, string> {
    return new Map([...this.#names].filter(([input, name]) => input !== name))
  }

  async #packageName(input: string, file: string): Promise<string> {
    const found = await this.#packageOf(dirname(file))
    if (found === null) return input
    const path = relative(found.folder, file).split(sep).join("/")
    return `${found.name}@${found.version}/${path}`
  }

  #packageOf(folder: string): Promise<Package | null> {
    const known = this.#packages.get(folder)
    if (known !== undefined) return known
    const found = this.#findPackage(folder)
    this.#packages.set(folder, found)
    return found
  }

  async #findPackage(folder: string): Promise<Package | null> {
    const text = await readFile(resolve(folder, "package.json"), "utf8").catch(() => "null")
    const json = parse(text)
    const { name, version } = json
    if (typeof name === "string" && typeof version === "string") return { folder, name, version }
    const parent = dirname(folder)
    return parent === folder ? null : this.#packageOf(parent)
  }
}

interface Package {
  readonly folder: string
  readonly name: string
  readonly version: string
}

const parse = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const json: unknown = JSON.parse(text)
    return typeof json === "object" && json !== null ? { ...json } : {}
  } catch {
    return {}
  }
}
