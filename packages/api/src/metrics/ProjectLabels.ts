import type { ProjectMetrics } from "@atrium/domain/metrics/MetricsApi"
import { RoomStatuses } from "@atrium/domain/rooms/RoomsApi"

const gauges = {
  sockets: "atrium_project_sockets",
  rss: "atrium_project_resident_bytes"
} as const

const counters = {
  ingressBytes: "atrium_project_ingress_bytes_total",
  egressBytes: "atrium_project_egress_bytes_total"
} as const

const roomsName = "atrium_project_rooms"

/**
 * The metrics of projects in Prometheus' text format. A project's id is made by the service and has
 * nothing in it that would end a label. Source: D-51.
 */
export const projectLabels = (projects: ReadonlyMap<string, ProjectMetrics>): string => {
  const all = [...projects]
  const family = (name: string, type: "gauge" | "counter", lines: ReadonlyArray<string>) =>
    [`# TYPE ${name} ${type}`, ...lines].join("\n")
  const values = (name: string, value: (metrics: ProjectMetrics) => number) =>
    all.map(([projectId, metrics]) => `${name}{project="${projectId}"} ${value(metrics)}`)
  const rooms = all.flatMap(([projectId, { roomsByState }]) =>
    RoomStatuses.map(
      (status) => `${roomsName}{project="${projectId}",status="${status}"} ${roomsByState[status]}`
    )
  )
  const families = [
    family(
      gauges.sockets,
      "gauge",
      values(gauges.sockets, ({ sockets }) => sockets)
    ),
    family(roomsName, "gauge", rooms),
    family(
      counters.ingressBytes,
      "counter",
      values(counters.ingressBytes, ({ ingressBytes }) => ingressBytes)
    ),
    family(
      counters.egressBytes,
      "counter",
      values(counters.egressBytes, ({ egressBytes }) => egressBytes)
    ),
    family(
      gauges.rss,
      "gauge",
      values(gauges.rss, ({ rss }) => rss)
    )
  ]
  return `${families.join("\n")}\n`
}
