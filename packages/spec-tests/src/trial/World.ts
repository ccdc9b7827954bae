import type { Codecs } from "../codec/Codecs.ts"
import type { Config } from "../engine/Config.ts"
import { HttpProbe } from "./HttpProbe.ts"
import { Secrets } from "./Secrets.ts"

/** The parts that all checks of a run share. */
export interface World {
  readonly config: Config
  readonly codecs: Codecs
  readonly http: HttpProbe
  readonly control: HttpProbe | null
  /** Hooks that the configuration declares, or else those that the control listener says it has. */
  readonly hooks: ReadonlySet<string>
  /** Declared features that do not work, with the reason: `hook clock`, `feature cli`, or `all`. */
  readonly broken: Map<string, string>
  /** Never shown in a report. */
  readonly secrets: Secrets
  /** A mismatch in what we chose is a failure. */
  readonly strict: boolean
  /** How many times longer than usual a check and what it waits for may take. */
  readonly patience: number
  readonly close: () => void
}

const answersWithinMs = 5000

/** Hooks of the control listener that stand for it when it does not say which it has. */
const controlHooks = [
  "clock",
  "servers",
  "listeners",
  "memory",
  "storage",
  "meters",
  "plan",
  "seed",
  "logs",
  "metrics",
  "outbox"
]

/** Reads what hooks there are; the rest is as configured. What is declared and fails is `broken`. */
export const openWorld = async (
  config: Config,
  options: { readonly codecs: Codecs; readonly strict: boolean; readonly patience?: number }
): Promise<World> => {
  const { patience = 1 } = options
  const http = new HttpProbe(config.baseUrl)
  const control = config.control === undefined ? null : new HttpProbe(config.control.url)
  const broken = new Map<string, string>()
  const hooks = new Set([
    ...(config.addressHeader === undefined ? [] : ["address"]),
    ...(config.adapter === undefined ? [] : ["fixture"]),
    ...(await hooksOf({ config, control, broken, patience }))
  ])
  const close = (): void => {
    http.close()
    control?.close()
  }
  const secrets = secretsOf(config)
  return { config, ...options, patience, http, control, hooks, broken, secrets, close }
}

const hooksOf = async (world: Pick<World, "config" | "control" | "broken" | "patience">) => {
  const { config, control, broken } = world
  if (control === null || config.control === undefined) return []
  const declared = config.control.hooks
  const waitsMs = answersWithinMs * world.patience
  const named = await namedHooks(control, { token: config.control.token, waitsMs })
  const hooks = declared ?? (typeof named === "string" ? controlHooks : named)
  for (const hook of hooks) {
    if (typeof named === "string") broken.set(`hook ${hook}`, named)
    else if (!named.includes(hook)) {
      broken.set(`hook ${hook}`, `the control listener has no ${hook}`)
    }
  }
  return hooks
}

/** Text = why there are none. */
const namedHooks = async (
  control: HttpProbe,
  { token, waitsMs }: { readonly token: string; readonly waitsMs: number }
): Promise<ReadonlyArray<string> | string> => {
  try {
    const answer = await control.send(
      { method: "GET", path: "/_control", bearer: token },
      AbortSignal.timeout(waitsMs)
    )
    const named: unknown = Object(answer.json)["hooks"]
    return answer.status === 200 && Array.isArray(named)
      ? named.map(String)
      : `the control listener answered ${answer.status} and no list of hooks`
  } catch (cause) {
    return `the control listener does not answer: ${String(cause)}`
  }
}

const secretsOf = (config: Config): Secrets => {
  const secrets = new Secrets()
  const passwords = [config.baseUrl, config.routerUrl, config.control?.url].flatMap((address) => {
    if (address === undefined || !URL.canParse(address)) return []
    return [decodeURIComponent(new URL(address).password)]
  })
  for (const secret of [
    ...config.accounts,
    ...(config.control === undefined ? [] : [config.control.token]),
    ...Object.values(config.cli?.loggedInEnv ?? {}).filter((value) => !isPlainAddress(value)),
    ...passwords
  ]) {
    secrets.add(secret)
  }
  return secrets
}

/** An address without a password is no secret, and stands in every report. */
const isPlainAddress = (value: string): boolean =>
  /^(?:https?|wss?):\/\//.test(value) && URL.canParse(value) && new URL(value).password === ""
