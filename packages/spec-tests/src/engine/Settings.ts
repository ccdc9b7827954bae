import { existsSync, readFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { pathToFileURL } from "node:url"

import { Schema } from "effect"

import type { Codecs } from "../codec/Codecs.ts"
import { defaultCodecs } from "../codec/DefaultCodecs.ts"
import { Baseline, baselineGlobs, noBaseline } from "./Baseline.ts"
import { Config } from "./Config.ts"
import { unknownFeatures } from "./Features.ts"
import { meaningless } from "./Selection.ts"
import type { Suite } from "./Suite.ts"

/** The command line, the environment or a file is wrong: nothing was asked. */
export class Misused extends Error {}

/** The sources of the settings, the later over the earlier. */
export interface Given {
  /** Default: `conformance.config.json`, if it is there. */
  readonly file: string | null
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly baseUrl: string | null
  readonly routerUrl: string | null
  readonly controlUrl: string | null
  readonly controlToken: string | null
}

const usualFile = "conformance.config.json"
const decodeShape = Schema.decodeUnknownSync(Config, { onExcessProperty: "error" })

const decodeConfig = (json: unknown): Config => {
  const config = decodeShape(json)
  const unknown = unknownFeatures(config.features)
  if (unknown.length === 0) return config
  throw new Error(`features: no feature is ${unknown.join(", ")}: see \`list --features\``)
}

/** The configuration of a run. Throws `Misused`. */
export const settings = (given: Given): Config => {
  const path = given.file ?? (existsSync(usualFile) ? usualFile : null)
  const file = path === null ? { name: "unnamed", features: [] } : readJson(path)
  return decoded(path ?? "the command line", () => decodeConfig(overridden(file, given)))
}

/** Reads a configuration file as it stands: keys that start with `//` are notes. */
export const readConfig = (path: string): Config =>
  decoded(path, () => decodeConfig(withoutNotes(readJson(path))))

const overridden = (
  file: Readonly<Record<string, unknown>>,
  { environment, baseUrl, routerUrl, controlUrl, controlToken }: Given
): unknown => {
  const [first, second] = [
    environment["CONFORMANCE_ACCOUNT_0"],
    environment["CONFORMANCE_ACCOUNT_1"]
  ]
  const token = controlToken ?? environment["CONFORMANCE_CONTROL_TOKEN"]
  const control = {
    ...Object(file["control"]),
    ...(controlUrl === null ? {} : { url: controlUrl }),
    ...(token === undefined ? {} : { token })
  }
  return {
    ...withoutNotes(file),
    ...(baseUrl === null ? {} : { baseUrl }),
    ...(routerUrl === null ? {} : { routerUrl }),
    ...(first === undefined || second === undefined ? {} : { accounts: [first, second] }),
    ...("url" in control ? { control: withoutNotes(control) } : {})
  }
}

const withoutNotes = (file: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(file).filter(([key]) => !key.startsWith("//")))

const readJson = (path: string): Readonly<Record<string, unknown>> =>
  decoded(path, () => {
    const json: unknown = JSON.parse(readFileSync(path, "utf8"))
    if (typeof json !== "object" || json === null) throw new Error("it is no object")
    return { ...json }
  })

/** The default codecs, and over them those of the module that the configuration names. */
export const codecsOf = async (config: Config, configPath: string | null): Promise<Codecs> => {
  if (config.codecs === undefined) return defaultCodecs
  const path = resolve(dirname(configPath ?? usualFile), config.codecs)
  const module: unknown = await import(pathToFileURL(path).href).catch((cause: unknown) => {
    throw new Misused(`codecs: ${String(cause)}`)
  })
  const codecs: unknown = Object(module)["codecs"]
  if (typeof codecs !== "object" || codecs === null) {
    throw new Misused(`codecs: ${path} exports no codecs`)
  }
  return { ...defaultCodecs, ...codecs }
}

const decodeBaseline = Schema.decodeUnknownSync(Schema.fromJsonString(Baseline), {
  onExcessProperty: "error"
})

/** The baseline. Throws `Misused`, also for ids that do not exist. */
export const readBaseline = (path: string | null, { requirements }: Suite): Baseline => {
  if (path === null) return noBaseline
  const baseline = decoded(path, () => decodeBaseline(readFileSync(path, "utf8")))
  const none = meaningless(requirements, baselineGlobs(baseline))
  if (none.length > 0) throw new Misused(`${path}: no requirement is ${none.join(", ")}`)
  return baseline
}

const decoded = <A>(where: string, decode: () => A): A => {
  try {
    return decode()
  } catch (cause) {
    if (cause instanceof Misused) throw cause
    throw new Misused(`${where}: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
}
