import { readFileSync, readdirSync } from "node:fs"
import { join, relative, resolve, sep } from "node:path"

import { Schema } from "effect"
import { describe, expect, it } from "vitest"

const sources = import.meta.dirname
const suite = join(sources, "..")
const Manifest = Schema.fromJsonString(
  Schema.Struct({ dependencies: Schema.Record(Schema.String, Schema.String) })
)
const { dependencies } = Schema.decodeUnknownSync(Manifest)(
  readFileSync(join(suite, "package.json"), "utf8")
)

interface Import {
  readonly file: string
  readonly from: string
}

const importsOf = (file: string, text: string): ReadonlyArray<Import> =>
  [
    ...text.matchAll(/^(?:import|export)\b[^"'`;]*?\bfrom\s+["']([^"']+)["']/gm),
    ...text.matchAll(/^import\s+["']([^"']+)["']/gm),
    ...text.matchAll(/\bimport\(\s*["'`]([^"'`]+)["'`]/g)
  ].map(([, from = ""]) => ({ file, from }))

const files = readdirSync(sources, { recursive: true, encoding: "utf8" }).filter((name) =>
  /\.[mc]?[jt]s$/.test(name)
)
const imports = files.flatMap((file) => importsOf(file, readFileSync(join(sources, file), "utf8")))

/** The fault of an import; null = it has none. */
const faultOf = ({ file, from }: Import): string | null => {
  if (from.startsWith("node:")) return null
  if (from.startsWith(".")) {
    const target = relative(suite, resolve(sources, file, "..", from))
    const isInside = target.startsWith(`src${sep}`) || target === "package.json"
    return isInside ? null : `${file} leaves the suite: ${from}`
  }
  if (file.endsWith(".test.ts") && from === "vitest") return null
  const [scope = "", name = ""] = from.split("/")
  const dependency = scope.startsWith("@") ? `${scope}/${name}` : scope
  return Object.hasOwn(dependencies, dependency) ? null : `${file} imports ${from}`
}

describe("the suite", () => {
  it("[conformance.imports] imports nothing but itself, Node and its dependencies", () => {
    expect(files.length).toBeGreaterThan(50)
    expect(imports.length).toBeGreaterThan(files.length)
    expect(imports.flatMap((one) => faultOf(one) ?? [])).toEqual([])
  })

  it("[conformance.imports] depends on nothing of ours", () => {
    const names = Object.keys(dependencies)
    expect(names.filter((name) => /^(@atrium\/|atrium)/.test(name))).toEqual([])
    expect(Object.values(dependencies).filter((version) => !/^\d/.test(version))).toEqual([])
  })

  it("[conformance.imports] would be caught if it did", () => {
    const file = "sections/Events.ts"
    const read = (text: string) => importsOf(file, text).map(faultOf)
    expect(read('import { Limits } from "@atrium/domain/Limits"')).toEqual([
      "sections/Events.ts imports @atrium/domain/Limits"
    ])
    expect(read('export {\n  Limits\n} from "../../../domain/src/Limits.ts"')).toEqual([
      "sections/Events.ts leaves the suite: ../../../domain/src/Limits.ts"
    ])
    expect(read("const { Limits } = await import" + '("@atrium/domain/Limits")')).toHaveLength(1)
    expect(read('import "ajv"')).toEqual(["sections/Events.ts imports ajv"])
    expect(read('import { Schema } from "effect"\nimport { a } from "../sections/Row.ts"')).toEqual(
      [null, null]
    )
  })
})
