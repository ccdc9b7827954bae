import type { Codecs } from "../codec/Codecs.ts"
import type { Config } from "../engine/Config.ts"
import { HttpProbe } from "./HttpProbe.ts"

/** What all checks of a run share. */
export interface World {
  readonly config: Config
  readonly codecs: Codecs
  readonly http: HttpProbe
  readonly control: HttpProbe | null
  /** Hooks that the control listener says it has. */
  readonly hooks: ReadonlySet<string>
  /** A mismatch in what we chose is a failure. */
  readonly strict: boolean
  readonly close: () => void
}

/** Reads what hooks there are; the rest is as configured. */
export const openWorld = async (
  config: Config,
  options: { readonly codecs: Codecs; readonly strict: boolean }
): Promise<World> => {
  const http = new HttpProbe(config.baseUrl)
  const control = config.control === undefined ? null : new HttpProbe(config.control.url)
  const hooks = await hooksOf(config, control)
  const close = (): void => {
    http.close()
    control?.close()
  }
  return { config, ...options, http, control, hooks, close }
}

const hooksOf = async (config: Config, control: HttpProbe | null): Promise<ReadonlySet<string>> => {
  const address = config.addressHeader === undefined ? [] : ["address"]
  const adapter = config.adapter === undefined ? [] : ["fixture"]
  if (control === null || config.control === undefined) return new Set([...address, ...adapter])
  const answer = await control.send(
    { method: "GET", path: "/_control", bearer: config.control.token },
    AbortSignal.timeout(5000)
  )
  const named: unknown = Object(answer.json)["hooks"]
  if (answer.status !== 200 || !Array.isArray(named)) {
    throw new Error(`the control listener answered ${answer.status}: ${answer.text.slice(0, 200)}`)
  }
  return new Set([...address, ...adapter, ...named.map(String)])
}
