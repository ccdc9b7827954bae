import { MetricsLimits } from "@atrium/domain/metrics/MetricsLimits"
import { until } from "@atrium/domain/testing/Until"
import { ConfigProvider, Effect, Logger } from "effect"
import { afterEach, beforeEach, expect, test } from "vitest"

import { type CollectorStub, startCollector } from "../testing/CollectorStub.ts"
import { startTelemetry } from "./Telemetry.ts"

let collector: CollectorStub
beforeEach(async () => {
  collector = await startCollector()
})
afterEach(() => collector.close())

const told: Array<string> = []

/** Logs through the exporter, each line an export of its own. */
const exporting = <A>(
  act: (log: (line: string) => Effect.Effect<void>) => Promise<A>,
  env: Record<string, string> = {}
) => {
  told.length = 0
  const provider = ConfigProvider.fromEnv({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BLRP_MAX_EXPORT_BATCH_SIZE: "1",
      ...env
    }
  })
  const settings = { logs: true, metrics: false, traces: false, protocol: "http/json" } as const
  const whole = Effect.gen(function* () {
    const { loggers } = yield* startTelemetry(settings, {
      tell: (sentence) => Effect.sync(() => void told.push(sentence))
    })
    const log = (line: string) => Effect.provide(Effect.logInfo(line), Logger.layer([...loggers]))
    return yield* Effect.promise(() => act(log))
  })
  return Effect.runPromise(
    Effect.scoped(whole).pipe(
      Effect.provideService(ConfigProvider.ConfigProvider, provider),
      Effect.withTracerEnabled(false)
    )
  )
}

test("[C-464] an export names the service, its version and this start, and carries the headers", async () => {
  await exporting(
    async (log) => {
      await Effect.runPromise(log("a line"))
      await until("it came", () => collector.exports.length === 1)
    },
    { OTEL_EXPORTER_OTLP_HEADERS: "x-api-key=se%20cret" }
  )
  const [first] = collector.exports
  expect([first?.path, first?.headers["x-api-key"]]).toEqual(["/v1/logs", "se cret"])
  const [logs] = JSON.parse(first?.text ?? "").resourceLogs
  const named = Object.fromEntries(
    logs.resource.attributes.map(
      ({ key, value }: { key: string; value: { stringValue: string } }) => [key, value.stringValue]
    )
  )
  expect(named).toMatchObject({
    "service.name": "atrium",
    "service.version": expect.stringMatching(/^\d+\.\d+\.\d+$/),
    "service.instance.id": expect.stringMatching(/^[0-9a-f-]{36}$/)
  })
  expect(logs.scopeLogs[0].logRecords[0].body).toEqual({ stringValue: "a line" })
})

test("[C-464] the operator's names of the service stay", async () => {
  await exporting(
    async (log) => {
      await Effect.runPromise(log("a line"))
      await until("it came", () => collector.exports.length === 1)
    },
    {
      OTEL_SERVICE_NAME: "game",
      OTEL_RESOURCE_ATTRIBUTES: "service.instance.id=runner-3,deployment.environment=prod"
    }
  )
  const text = collector.exports[0]?.text ?? ""
  for (const name of ["game", "runner-3", "prod"]) expect(text).toContain(`"${name}"`)
  expect(text).not.toContain('"atrium"')
})

test("[C-464] a collector that never answers holds two exports at most", async () => {
  const { max } = MetricsLimits.collectorExports
  collector.answer(null)
  await exporting(
    async (log) => {
      for (let line = 0; line < 50; line++) await Effect.runPromise(log(`line ${line}`))
      await until("as many as may wait have come", () => collector.exports.length === max)
      for (let line = 0; line < 50; line++) await Effect.runPromise(log(`line ${line}`))
    },
    { OTEL_EXPORTER_OTLP_TIMEOUT: "50" }
  )
  expect(collector.exports).toHaveLength(max)
})

test("[C-464] a collector that refuses is told of once, without the credential", async () => {
  collector.answer(403)
  await exporting(
    async (log) => {
      await Effect.runPromise(log("a line"))
      await until("it is told", () => told.length > 0)
    },
    { OTEL_EXPORTER_OTLP_HEADERS: "x-api-key=secret" }
  )
  const host = collector.url.replace("http://", "")
  expect(told).toEqual([`the collector at ${host} takes no telemetry (HTTP 403)`])
})
