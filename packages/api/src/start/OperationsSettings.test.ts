import { StoreLimits } from "@atrium/domain/store/StoreLimits"
import { expect, it } from "@effect/vitest"
import { ConfigProvider, Effect, Option } from "effect"

import { readServiceConfig } from "./ServiceConfig.ts"
import { readTelemetry } from "./TelemetrySettings.ts"

const given =
  (env: Record<string, string>) =>
  <A, E>(read: Effect.Effect<A, E>) =>
    Effect.provideService(read, ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))

it.effect("[C-460] [C-462] without settings there is no private listener, and 20 connections", () =>
  Effect.gen(function* () {
    const config = yield* given({})(readServiceConfig)
    expect([config.privateAddress, config.databaseConnections]).toEqual([Option.none(), 20])
  })
)

it.effect.each([
  ["127.0.0.1:9464", "127.0.0.1", 9464],
  ["[::1]:0", "::1", 0],
  ["localhost:65535", "localhost", 65_535]
] as const)("[C-460] the private listener may be at %s", ([text, host, port]) =>
  Effect.gen(function* () {
    const { privateAddress } = yield* given({ ATRIUM_PRIVATE_ADDRESS: text })(readServiceConfig)
    expect(privateAddress).toEqual(Option.some({ host, port }))
  })
)

it.effect.each(["9464", "127.0.0.1", "::1:9464", "127.0.0.1:65536", "127.0.0.1:", ":9464"])(
  "[C-460] %j is no address of a private listener",
  (text) =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(given({ ATRIUM_PRIVATE_ADDRESS: text })(readServiceConfig))
      expect(refused.message).toBe(
        `ATRIUM_PRIVATE_ADDRESS must be host:port, such as 127.0.0.1:9464, not ${JSON.stringify(text)}.`
      )
    })
)

it.effect("[C-460] the private listener must not have the port of the service", () =>
  Effect.gen(function* () {
    const env = { PORT: "8000", ATRIUM_PRIVATE_ADDRESS: "127.0.0.1:8000" }
    const { message } = yield* Effect.flip(given(env)(readServiceConfig))
    expect(message).toBe("ATRIUM_PRIVATE_ADDRESS must not have the port of the service, 8000.")
  })
)

const { min, max } = StoreLimits.storeConnections
it.effect.each([
  [String(min), min],
  [String(max), max]
] as const)("[C-462] a runner may have %s connections to the database", ([text, count]) =>
  Effect.gen(function* () {
    const env = { ATRIUM_DATABASE_CONNECTIONS: text }
    expect((yield* given(env)(readServiceConfig)).databaseConnections).toBe(count)
  })
)

it.effect.each([String(min - 1), String(max + 1), "1e2", "-5"])(
  "[C-462] %j connections to the database are refused",
  (text) =>
    Effect.gen(function* () {
      const env = { ATRIUM_DATABASE_CONNECTIONS: text }
      const { message } = yield* Effect.flip(given(env)(readServiceConfig))
      expect(message).toBe("ATRIUM_DATABASE_CONNECTIONS must be a whole number from 5 to 1000.")
    })
)

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" }
const all = { logs: true, metrics: true, traces: true, protocol: "http/protobuf" }
it.effect.each([
  [{}, null],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "" }, null],
  [{ OTEL_SERVICE_NAME: "game", OTEL_TRACES_EXPORTER: "otlp" }, null],
  [endpoint, all],
  [{ ...endpoint, OTEL_SDK_DISABLED: "true" }, null],
  [
    { ...endpoint, OTEL_TRACES_EXPORTER: "none" },
    { ...all, traces: false }
  ],
  [
    { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "https://collector/v1/metrics" },
    { ...all, logs: false, traces: false }
  ],
  [
    { ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" },
    { ...all, protocol: "http/json" }
  ]
] as const)("[C-464] %j exports %j", ([env, exported]) =>
  Effect.gen(function* () {
    expect(yield* given(env)(readTelemetry)).toEqual(exported)
  })
)

it.effect.each([
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" },
    "OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https URL, such as http://127.0.0.1:4318."
  ],
  [
    { ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
    'OTEL_EXPORTER_OTLP_PROTOCOL is "grpc"; it must be http/protobuf or http/json.'
  ],
  [
    { ...endpoint, OTEL_LOGS_EXPORTER: "console" },
    'OTEL_LOGS_EXPORTER is "console"; it must be otlp or none.'
  ],
  [
    { ...endpoint, OTEL_EXPORTER_OTLP_HEADERS: "secret" },
    "OTEL_EXPORTER_OTLP_HEADERS must be name=value,name=value."
  ],
  [
    { ...endpoint, OTEL_EXPORTER_OTLP_HEADERS: "x-key=se%zzcret" },
    "OTEL_EXPORTER_OTLP_HEADERS must be name=value,name=value."
  ]
] as const)("[C-464] %j refuses the start by name, and repeats no secret", ([env, sentence]) =>
  Effect.gen(function* () {
    expect((yield* Effect.flip(given(env)(readTelemetry))).message).toBe(sentence)
  })
)
