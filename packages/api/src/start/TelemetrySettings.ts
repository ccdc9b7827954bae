import { Config, Context, Effect, Option } from "effect"

import { StartRefused } from "./ServiceConfig.ts"

/** What is exported to a collector, and how. */
export interface TelemetrySettings {
  readonly logs: boolean
  readonly metrics: boolean
  readonly traces: boolean
  readonly protocol: (typeof protocols)[number]
}

/** What the service gets of an export that there is not. */
export const unexported = { loggers: [], context: Context.empty() }

const protocols = ["http/protobuf", "http/json"] as const

/** A variable of OpenTelemetry: an empty one counts as one that is not set. */
const filled = <A extends string>(config: Config.Config<A>) =>
  Config.map(Config.option(config), (value) =>
    Option.getOrUndefined(Option.filter(value, (text) => text.trim() !== ""))
  )

const fromEnvironment = Config.all({
  disabled: filled(Config.String("OTEL_SDK_DISABLED")),
  protocol: filled(Config.String("OTEL_EXPORTER_OTLP_PROTOCOL")),
  headers: filled(Config.String("OTEL_EXPORTER_OTLP_HEADERS")),
  endpoint: filled(Config.String("OTEL_EXPORTER_OTLP_ENDPOINT")),
  ofLogs: filled(Config.String("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT")),
  ofMetrics: filled(Config.String("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT")),
  ofTraces: filled(Config.String("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")),
  logs: filled(Config.String("OTEL_LOGS_EXPORTER")),
  metrics: filled(Config.String("OTEL_METRICS_EXPORTER")),
  traces: filled(Config.String("OTEL_TRACES_EXPORTER"))
})

/** Reads what is exported; `null` = nothing, as no endpoint is set. Source: C-464. */
export const readTelemetry: Effect.Effect<TelemetrySettings | null, StartRefused> = Effect.gen(
  function* () {
    const given = yield* Effect.orDie(fromEnvironment)
    const { endpoint, ofLogs, ofMetrics, ofTraces } = given
    if (given.disabled?.toLowerCase() === "true") return null
    yield* mustBeUrls({
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: ofLogs,
      OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: ofMetrics,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: ofTraces
    })
    const { headers = "" } = given
    if (headers !== "" && !headers.split(",").every(isHeader)) {
      return yield* refused("OTEL_EXPORTER_OTLP_HEADERS must be name=value,name=value.")
    }
    const settings: TelemetrySettings = {
      logs: yield* exports("OTEL_LOGS_EXPORTER", given.logs, ofLogs ?? endpoint),
      metrics: yield* exports("OTEL_METRICS_EXPORTER", given.metrics, ofMetrics ?? endpoint),
      traces: yield* exports("OTEL_TRACES_EXPORTER", given.traces, ofTraces ?? endpoint),
      protocol: yield* protocolOf(given.protocol ?? "http/protobuf")
    }
    return settings.logs || settings.metrics || settings.traces ? settings : null
  }
)

const refused = (message: string) => new StartRefused({ message })

const mustBeUrls = (given: Readonly<Record<string, string | undefined>>) =>
  Effect.forEach(Object.entries(given), ([name, value]) =>
    value === undefined || /^https?:$/.test(URL.parse(value)?.protocol ?? "")
      ? Effect.void
      : // The address may hold a credential: it is not repeated.
        Effect.fail(refused(`${name} must be an http or https URL, such as http://127.0.0.1:4318.`))
  )

/** A name, and a value whose escapes can be read. */
const isHeader = (text: string): boolean => {
  const [, value] = /^\s*[!#$%&'*+.^_`|~\w-]+\s*=(.*)$/.exec(text) ?? []
  return value !== undefined && /^(?:[^%]|%[0-9a-f]{2})*$/i.test(value)
}

const exports = (name: string, exporter = "otlp", endpoint?: string) => {
  if (exporter !== "otlp" && exporter !== "none") {
    const shown = JSON.stringify(exporter)
    return Effect.fail(refused(`${name} is ${shown}; it must be otlp or none.`))
  }
  return Effect.succeed(exporter === "otlp" && endpoint !== undefined)
}

const protocolOf = (given: string) => {
  const known = protocols.find((each) => each === given)
  return known === undefined
    ? Effect.fail(
        refused(
          `OTEL_EXPORTER_OTLP_PROTOCOL is ${JSON.stringify(given)}; it must be ${protocols.join(" or ")}.`
        )
      )
    : Effect.succeed(known)
}
