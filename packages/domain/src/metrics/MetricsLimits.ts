import { SecondMs, count, span } from "@atrium/wire/limits/Limit"

/** Metrics, and what is exported to a collector. */
export const MetricsLimits = {
  roomsCounted: span("Time between two counts of rooms by status, where metrics are exported", {
    ms: 15 * SecondMs,
    per: "runner",
    past: "the count that is exported is up to this old"
  }),
  collectorAnswer: span("Answer of the collector to one export", {
    ms: 10 * SecondMs,
    per: "export",
    past: "the export is given up, and tried three times more"
  }),
  collectorExports: count("Exports of one signal that wait for the collector at once", {
    max: 2,
    per: "signal",
    past: "dropped, as is everything of the signal for the next minute"
  })
} as const
