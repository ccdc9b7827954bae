import { readFile } from "node:fs/promises"
import { builtinModules, createRequire } from "node:module"

import type { Plugin } from "esbuild"

const require = createRequire(import.meta.url)

/**
 * Loads each module of Node when it is first used. An import would load it at the start, and with it all that the module
 * makes on demand: `node:http` brings undici so, `node:crypto` brings WebCrypto.
 */
export const lazyBuiltins: Plugin = {
  name: "lazy-builtins",
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^node:/ }, ({ path, namespace }) => {
      const name = path.slice("node:".length)
      if (namespace === "builtin") return { path, external: true }
      // `node:module` is imported before there is a `require`.
      if (name === "module" || !builtinModules.includes(name)) return null
      return { path: name, namespace: "builtin" }
    })
    onLoad({ filter: /.*/, namespace: "builtin" }, ({ path }) => ({ contents: onDemand(path) }))
  }
}

const onDemand = (name: string): string => {
  const found: object = require(`node:${name}`)
  const getters = Object.keys(found)
    .filter((key) => /^[A-Za-z_$][\w$]*$/.test(key) && key !== "default")
    .map((key) => `get ${key}() { return load().${key} }`)
  return [
    "let loaded",
    `const load = () => (loaded ??= require("node:${name}"))`,
    `module.exports = { ${getters.join(", ")} }`
  ].join("\n")
}

/** A part of a public package that takes long at the start, and the same on demand. */
interface Part {
  readonly module: RegExp
  readonly named: RegExp
  readonly lazy: string
}

const parts: ReadonlyArray<Part> = [
  {
    // The tables of a segmenter take a third of the start. One printable ASCII character is one grapheme.
    module: /\/effect\/dist\/cli\/CliOutput\.js$/,
    named: /= \/\*#__PURE__\*\/new Intl\.Segmenter\(([^]*?)\);/,
    lazy: `= {
      segment: (text) =>
        /^[ -~]*$/.test(text)
          ? Array.from(text, (segment) => ({ segment }))
          : (segmenter ??= new Intl.Segmenter($1)).segment(text)
    };
    let segmenter;`
  },
  {
    // TLS and all of its cryptography, for a service that mostly is at http://127.0.0.1.
    module: /\/platform-node\/dist\/internal\/http\.js$/,
    named: /= [^=;]*require[^;]*\("node:https"\);/,
    lazy: `= { request: (...call) => require("node:https").request(...call) };`
  },
  {
    // Another HTTP client, which no command uses.
    module: /\/platform-node\/dist\/Undici\.js$/,
    named: /^[^]*$/,
    lazy: "export {}"
  }
]

/** Takes the parts of public packages on demand. Throws when a newer version does not have one as it was. */
export const lazyParts: Plugin = {
  name: "lazy-parts",
  setup: ({ onLoad }) => {
    for (const { module, named, lazy } of parts) {
      onLoad({ filter: module }, async ({ path }) => {
        const text = await readFile(path, "utf8")
        if (!named.test(text)) throw new Error(`${path}: has no ${named} any more`)
        return { contents: text.replace(named, lazy) }
      })
    }
  }
}

/** An import from the list of all modules, or from that of a part such as `effect/http`. */
const barrel = /^import \{([^}]+)\} from "(effect(?:\/[a-z-]+)?)"$/gm

/**
 * Imports the modules of Effect one by one. A bundler keeps all of a module that it reaches through the list of all
 * modules: that would be half a megabyte of schemas for every command.
 */
export const singleModules: Plugin = {
  name: "single-modules",
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/packages\/[^/]+\/src\/.*\.ts$/ }, async ({ path }) => ({
      contents: withSingleModules(await readFile(path, "utf8")),
      loader: "ts"
    }))
  }
}

/** The same imports, on as many lines, so that source maps stay true. */
export const withSingleModules = (text: string): string =>
  text.replace(barrel, (statement, names: string, from: string) => {
    const imports = names
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "")
      .map((name) => singleImport(name, from))
    return imports.join("; ") + "\n".repeat(statement.split("\n").length - 1)
  })

const singleImport = (name: string, from: string): string => {
  if (/^[a-z]\w*$/.test(name)) return `import { ${name} } from "effect/Function"`
  const [, type = "", module = ""] = /^(type )?([A-Z]\w*)$/.exec(name) ?? []
  if (module === "") throw new Error(`${name}: is imported from ${from} in another way`)
  return `import ${type}* as ${module} from "${from}/${module}"`
}
