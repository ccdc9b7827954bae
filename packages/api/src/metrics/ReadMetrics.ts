import { Effect, Metric } from "effect"

/** A name of a series, in Prometheus' words. */
interface Series {
  readonly name: string
  readonly says: string
  readonly labels?: Readonly<Record<string, string>>
}

/** A series whose value is read when somebody looks at it. */
export type ReadMetric = Series &
  (
    | { readonly kind: "counter" | "gauge"; readonly read: () => number }
    | { readonly kind: "histogram"; readonly read: () => Metric.HistogramState }
  )

const ignored = { update: () => undefined, modify: () => undefined }

/**
 * Adds series to the metrics of this process, for as long as the scope lasts. Each is read at a scrape
 * and at an export: until then it costs what its owner does to count.
 */
export const readMetrics = Effect.fnUntraced(function* (rows: ReadonlyArray<ReadMetric>) {
  const context = yield* Effect.context<never>()
  yield* Effect.acquireRelease(
    Effect.sync(() => rows.map((row) => registration(row)(context))),
    (all) =>
      Effect.sync(() => {
        for (const { remove } of all) remove()
      })
  )
})

type Context = Parameters<typeof Metric.registerUnsafe>[1]

const registration = (row: ReadMetric): ((context: Context) => Metric.Registration) => {
  const options = { description: row.says, attributes: row.labels ?? {} }
  switch (row.kind) {
    case "counter": {
      const { read } = row
      const counter = Metric.counter(row.name, { ...options, incremental: true })
      const get = () => ({ count: read(), incremental: true })
      return (context) => Metric.registerUnsafe(counter, context, { ...ignored, get })
    }
    case "gauge": {
      const { read } = row
      const gauge = Metric.gauge(row.name, options)
      return (context) =>
        Metric.registerUnsafe(gauge, context, { ...ignored, get: () => ({ value: read() }) })
    }
    case "histogram": {
      const histogram = Metric.histogram(row.name, { ...options, boundaries: [] })
      return (context) => Metric.registerUnsafe(histogram, context, { ...ignored, get: row.read })
    }
  }
}
