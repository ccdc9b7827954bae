import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { afterAll, describe, expect, it } from "vitest"

import { defaultCodecs } from "../codec/DefaultCodecs.ts"
import { capabilityFeatures } from "../sections/Capabilities.ts"
import { requirements } from "../sections/Requirements.ts"
import { Config } from "./Config.ts"
import { features } from "./Features.ts"
import { type Given, codecsOf, settings } from "./Settings.ts"
import { verdictStatuses } from "./Verdict.ts"

const suite = join(import.meta.dirname, "../..")
const example = join(suite, "conformance.config.example.json")
const page = readFileSync(join(suite, "../../docs/conformance.md"), "utf8")
const folder = mkdtempSync(join(tmpdir(), "settings-"))
afterAll(() => rmSync(folder, { recursive: true }))

const nothing: Given = {
  file: null,
  environment: {},
  baseUrl: null,
  routerUrl: null,
  controlUrl: null,
  controlToken: null
}
const written = (config: unknown): string => {
  const path = join(folder, "config.json")
  writeFileSync(path, typeof config === "string" ? config : JSON.stringify(config))
  return path
}
const small = { name: "x", baseUrl: "http://a", accounts: ["zero", "one"], features: [] }

describe("the configuration", () => {
  it("[conformance.config] the example is one, with every key and a note on each", () => {
    const config = settings({ ...nothing, file: example })
    const keys = Object.keys(Config.fields)
    expect(Object.keys(config).toSorted()).toEqual(keys.toSorted())
    const raw: unknown = JSON.parse(readFileSync(example, "utf8"))
    expect(Object.keys(Object(raw)).toSorted()).toEqual(
      [...keys, ...keys.map((key) => `// ${key}`)].toSorted()
    )
  })

  it("[conformance.config] the one of the documentation is one, too", () => {
    const [, text = ""] = /```json\n([^]*?)```/.exec(page) ?? []
    expect(settings({ ...nothing, file: written(text) }).features).toEqual([])
  })

  it("[conformance.config] the command line goes over the environment, and that over the file", () => {
    const file = written({ ...small, control: { url: "http://c", token: "of-file" } })
    const environment = {
      CONFORMANCE_CONTROL_TOKEN: "of-environment",
      CONFORMANCE_ACCOUNT_0: "env-zero",
      CONFORMANCE_ACCOUNT_1: "env-one"
    }
    expect(settings({ ...nothing, file })).toEqual({
      ...small,
      control: { url: "http://c", token: "of-file" }
    })
    expect(settings({ ...nothing, file, environment })).toEqual({
      ...small,
      accounts: ["env-zero", "env-one"],
      control: { url: "http://c", token: "of-environment" }
    })
    expect(
      settings({
        file,
        environment,
        baseUrl: "http://b",
        routerUrl: "ws://b",
        controlUrl: "http://d",
        controlToken: "of-line"
      })
    ).toMatchObject({
      baseUrl: "http://b",
      routerUrl: "ws://b",
      control: { url: "http://d", token: "of-line" }
    })
  })

  const wrong: ReadonlyArray<readonly [string, unknown, RegExp]> = [
    ["a key that is none", { ...small, feature: ["cli"] }, /feature/],
    ["one account", { ...small, accounts: ["zero"] }, /accounts/],
    ["a control listener without a token", { ...small, control: { url: "http://c" } }, /token/],
    ["no JSON", "{", /config\.json/],
    ["no object", "7", /config\.json/]
  ]
  it.each(wrong)("[conformance.config] %s is refused, and named", (_, config, message) => {
    expect(() => settings({ ...nothing, file: written(config) })).toThrow(message)
  })

  it("[conformance.config] a refusal tells no credential", () => {
    const config = { ...small, accounts: ["credential-zero", "credential-one", "credential-two"] }
    const refusal = ((): string => {
      try {
        return `taken: ${settings({ ...nothing, file: written(config) }).name}`
      } catch (cause) {
        return String(cause)
      }
    })()
    expect(refusal).toContain("accounts")
    expect(refusal).not.toContain("credential-")
  })
})

describe("codecs", () => {
  const file = join(folder, "config.json")

  it("[conformance.config] are the default ones, and those of a module over them", async () => {
    const config = settings({ ...nothing, file: written(small) })
    expect(await codecsOf(config, file)).toBe(defaultCodecs)
    writeFileSync(join(folder, "codecs.mjs"), "export const codecs = { saveId: () => 'mine' }")
    const codecs = await codecsOf({ ...config, codecs: "./codecs.mjs" }, file)
    expect(codecs.saveId(null)).toBe("mine")
    expect(codecs.minted).toBe(defaultCodecs.minted)
  })

  it("[conformance.config] a module that is not there is wrong use", async () => {
    const config = { ...settings({ ...nothing, file: written(small) }), codecs: "./none.mjs" }
    await expect(codecsOf(config, file)).rejects.toThrow(/codecs/)
  })
})

it("[conformance.features] an unknown feature is wrong use, because a typing error must not turn a feature off", () => {
  const file = written({ ...small, features: ["cli", "rely", "toString"] })
  expect(() => settings({ ...nothing, file })).toThrow(
    "features: no feature is rely, toString: see `list --features`"
  )
})

describe("the documentation", () => {
  it("[conformance.docs] explains every feature that a requirement or a check needs", () => {
    const [, table = ""] = /^\| feature[^\n]*\n[^\n]*\n([^]*?)\n(?:\n|$)/m.exec(page) ?? []
    const rows = table.split("\n").map((row) => row.slice(1, -1).split(" | "))
    const explained = rows.map(([name = "", what = ""]) => [name.trim().slice(1, -1), what.trim()])
    expect(Object.fromEntries(explained)).toEqual(features)
    const needed = requirements.flatMap((requirement) => requirement.features)
    const all = new Set([...needed, ...capabilityFeatures])
    expect(Object.keys(features)).toEqual([...all].toSorted())
  })

  it("[conformance.docs] has a row for each verdict", () => {
    const rows = [...page.matchAll(/^\| `([a-z-]+)` .*\| \d/gm)].map(([, status]) => status ?? "")
    expect(rows.toSorted()).toEqual([...verdictStatuses].toSorted())
  })
})
