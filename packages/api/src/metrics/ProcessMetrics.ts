import { performance } from "node:perf_hooks"

import { Effect } from "effect"

import packageJson from "../../package.json" with { type: "json" }
import { eventLoopTurns } from "./EventLoopTurns.ts"
import { type ReadMetric, readMetrics } from "./ReadMetrics.ts"

const usPerSecond = 1e6
const msPerSecond = 1e3

const rows: ReadonlyArray<ReadMetric> = [
  {
    kind: "gauge",
    name: "atrium_build_info",
    says: "1, with the version of the service and of Node",
    labels: { version: packageJson.version, node: process.versions.node },
    read: () => 1
  },
  {
    kind: "gauge",
    name: "atrium_resident_bytes",
    says: "Memory of the service's own process",
    read: () => process.memoryUsage.rss()
  },
  {
    kind: "counter",
    name: "atrium_cpu_seconds_total",
    says: "CPU time of the service's own process, by mode",
    labels: { mode: "user" },
    read: () => process.cpuUsage().user / usPerSecond
  },
  {
    kind: "counter",
    name: "atrium_cpu_seconds_total",
    says: "CPU time of the service's own process, by mode",
    labels: { mode: "system" },
    read: () => process.cpuUsage().system / usPerSecond
  },
  {
    kind: "counter",
    name: "atrium_event_loop_busy_seconds_total",
    says: "Time in which the service's event loop did not wait for events",
    read: () => performance.eventLoopUtilization().active / msPerSecond
  }
]

/** The metrics of the service's own process. */
export const processMetrics = Effect.gen(function* () {
  const turns = yield* eventLoopTurns
  yield* readMetrics([
    ...rows,
    {
      kind: "histogram",
      name: "atrium_event_loop_turn_seconds",
      says: "Turns of the service's event loop, without the wait for events",
      read: () => turns.read()
    }
  ])
})
