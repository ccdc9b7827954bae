import { randomUUID } from "node:crypto"

import { MetricsLimits } from "@atrium/domain/metrics/MetricsLimits"
import {
  Cause,
  Config,
  ConfigProvider,
  Context,
  Effect,
  Layer,
  Logger,
  Option,
  Ref,
  Tracer
} from "effect"
import { FetchHttpClient, HttpClient, HttpClientError } from "effect/http"
import { OtlpLogger, OtlpMetrics, OtlpSerialization, OtlpTracer } from "effect/observability"

import packageJson from "../../package.json" with { type: "json" }
import { ExportsMetrics } from "../metrics/ExportsMetrics.ts"
import { StartRefused } from "./ServiceConfig.ts"
import type { TelemetrySettings } from "./TelemetrySettings.ts"

/** What the rest of the service gets of the export. */
interface Telemetry {
  readonly loggers: ReadonlyArray<Logger.Logger<unknown, unknown>>
  /** The tracer, and whether metrics are exported. */
  readonly context: Context.Context<never>
}

interface TelemetryPorts {
  /** Writes a sentence about the export to the service's own log, and not to the collector. */
  tell(sentence: string): Effect.Effect<void>
}

/**
 * Exports logs, metrics and traces to a collector by OTLP over HTTP, as the variables of OpenTelemetry
 * say, for as long as the scope lasts. Source: C-464.
 */
export const startTelemetry = Effect.fnUntraced(function* (
  { logs, metrics, traces, protocol }: TelemetrySettings,
  { tell }: TelemetryPorts
) {
  const resource = yield* resourceOf
  const options = { resource }
  const serialization =
    protocol === "http/json" ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf
  const exporters = Layer.mergeAll(
    logs ? OtlpLogger.layerFromConfig({ ...options, mergeWithExisting: false }) : Layer.empty,
    metrics ? OtlpMetrics.layerFromConfig(options) : Layer.empty,
    traces ? OtlpTracer.layerFromConfig(options) : Layer.empty
  ).pipe(
    Layer.provide([serialization, collectorClient(tell)]),
    Layer.provide(ConfigProvider.layerAdd(defaults))
  )
  const built = yield* Layer.build(exporters).pipe(
    Effect.catchCause((cause) => {
      const error = Cause.squash(cause)
      return error instanceof Config.ConfigError
        ? Effect.fail(
            new StartRefused({ message: `The OTEL_ variables do not fit: ${error.message}.` })
          )
        : Effect.failCause(cause)
    })
  )
  const loggers = logs ? [...Context.get(built, Logger.CurrentLoggers)] : []
  const tracer = Context.make(Tracer.Tracer, Context.get(built, Tracer.Tracer))
  const telemetry: Telemetry = {
    loggers,
    context: Context.add(traces ? tracer : Context.empty(), ExportsMetrics, metrics)
  }
  return telemetry
})

/** The defaults of variables for which OpenTelemetry has one and Effect has none. */
const defaults = ConfigProvider.fromEnv({
  env: {
    OTEL_LOGS_EXPORTER: "otlp",
    OTEL_METRICS_EXPORTER: "otlp",
    OTEL_TRACES_EXPORTER: "otlp",
    // The last export of each signal, when the service ends.
    OTEL_EXPORTER_OTLP_TIMEOUT: "1000"
  }
})

/** Each start is an instance of the service, unless its operator names it. */
const resourceOf = Effect.gen(function* () {
  const name = yield* Effect.orDie(Config.option(Config.String("OTEL_SERVICE_NAME")))
  const given = yield* Effect.orDie(
    Config.String("OTEL_RESOURCE_ATTRIBUTES").pipe(Config.withDefault(""))
  )
  const has = (key: string) => given.split(",").some((pair) => pair.trim().startsWith(`${key}=`))
  const named = has("service.name") || Option.exists(name, (text) => text !== "")
  return {
    serviceName: named ? undefined : "atrium",
    serviceVersion: packageJson.version,
    attributes: has("service.instance.id") ? {} : { "service.instance.id": randomUUID() }
  }
})

/**
 * The way to the collector. A collector that does not answer holds a bounded number of exports: the next
 * one ends as a defect, which Effect's exporter takes as a reason to drop the signal for a minute.
 */
const collectorClient = (tell: TelemetryPorts["tell"]) =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.gen(function* () {
      const client = yield* HttpClient.HttpClient
      const underWay = new Map<string, number>()
      const failing = yield* Ref.make(false)
      const heard = (fault: string | null, host: string) =>
        Effect.flatMap(Ref.getAndSet(failing, fault !== null), (before) => {
          if (fault !== null) {
            return before
              ? Effect.void
              : tell(`the collector at ${host} takes no telemetry (${fault})`)
          }
          return before ? tell(`the collector at ${host} takes telemetry again`) : Effect.void
        })
      return HttpClient.transform(client, (ask, request) =>
        Effect.suspend(() => {
          const { url } = request
          const host = URL.parse(url)?.host ?? ""
          const before = underWay.get(url) ?? 0
          if (before >= MetricsLimits.collectorExports.max) {
            return Effect.die(new Error(`the collector holds ${before} exports`))
          }
          underWay.set(url, before + 1)
          return ask.pipe(
            // A body that trickles holds an export, too.
            Effect.tap((response) => Effect.ignore(response.arrayBuffer)),
            Effect.timeoutOrElse({
              duration: MetricsLimits.collectorAnswer.ms,
              orElse: () =>
                Effect.fail(
                  new HttpClientError.HttpClientError({
                    reason: new HttpClientError.TransportError({
                      request,
                      description: `no answer within ${MetricsLimits.collectorAnswer.ms / 1000} s`
                    })
                  })
                )
            }),
            Effect.tap(({ status }) => heard(status < 400 ? null : `HTTP ${status}`, host)),
            Effect.tapError(({ message }) => heard(message, host)),
            Effect.ensuring(Effect.sync(() => underWay.set(url, (underWay.get(url) ?? 1) - 1)))
          )
        })
      )
    })
  ).pipe(
    Layer.provide(FetchHttpClient.layer),
    // Headers may be credentials: nobody else gets them.
    Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, { redirect: "error" }))
  )
