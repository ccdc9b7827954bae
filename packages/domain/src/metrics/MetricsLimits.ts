import { SecondMs, count, span } from "@atrium/wire/limits/Limit"

/** Metrics, and what is exported to a collector. */
export const MetricsLimits = {
  roomsCounted: span("Time between two counts of rooms by status, where metrics are exported", {
    ms: 15 * SecondMs,
    per: "runner",
    past: "the count that is exported is up to this old"
  }),
  seriesEvery: span("Time between two points of a project's series", {
    ms: 10 * SecondMs,
    per: "project and series",
    past: "a point is added"
  }),
  seriesEnd: span("Time between two looks whether a span of the series is over", {
    ms: SecondMs,
    per: "runner",
    past: "its point is measured up to this much later"
  }),
  seriesPoints: count("Points of a project's series, of which an hour is in memory", {
    max: 360,
    per: "project and series",
    past: "the oldest is forgotten"
  }),
  seriesProjects: count("Projects whose series are in memory", {
    max: 1000,
    per: "runner",
    past: "the series of the project that was idle the longest are forgotten"
  }),
  seriesLook: span("Time between two looks of a live reader for new points", {
    ms: 2 * SecondMs,
    per: "live list",
    past: "a point is told up to this much later"
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
