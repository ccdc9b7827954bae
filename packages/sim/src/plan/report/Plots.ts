import type { Meter } from "@atrium/domain/meters/Caps"
import { HourMs, SecondMs } from "@atrium/wire/limits/Limit"
import * as Plot from "@observablehq/plot"

import type { Column } from "../engine/Minutes.ts"
import { type Resource, Resources, usableOf } from "../Machines.ts"
import type { Planned } from "../PlanRuns.ts"
import { colors, drawn, legend } from "./Drawn.ts"
import type { PlanReport } from "./PlanReport.ts"
import { changeText, meterNames, resourceNames } from "./Words.ts"

/** One picture of a report. */
export interface PlanPlot {
  readonly name: string
  readonly title: string
  readonly says: string
  /** A whole SVG file. */
  readonly svg: string
}

/** Everything that a report shows in pictures, as SVG. The same report gives the same bytes. */
export const planPlots = (report: PlanReport, planned: Planned): ReadonlyArray<PlanPlot> => [
  players(report),
  machines(report, planned),
  caps(report),
  ...(report.dependsOn.length === 0 ? [] : [influences(report)])
]

const hoursOf = ({ hours }: PlanReport): ReadonlyArray<Date> => {
  const fromMs = Date.parse(hours.from)
  return Array.from({ length: hours.count }, (_, hour) => new Date(fromMs + hour * HourMs))
}

const timeAxis = { type: "utc", label: null } as const

/** Walls of the report, as lines at their moment. */
const walls = ({ meters }: PlanReport): ReadonlyArray<Plot.Markish> => {
  const rows = meters.flatMap(({ meter, walledAt }) =>
    walledAt === null
      ? []
      : [{ at: new Date(Date.parse(walledAt.median)), text: `wall: ${meterNames[meter]}` }]
  )
  return [
    Plot.ruleX(rows, { x: "at", stroke: "#c81e1e", strokeDasharray: "4 3" }),
    Plot.text(rows, {
      x: "at",
      text: "text",
      frameAnchor: "top",
      dy: -12,
      fill: "#c81e1e"
    })
  ]
}

const players = (report: PlanReport): PlanPlot => {
  const { sockets } = report.hours
  const rows = hoursOf(report).map((at, hour) => ({
    at,
    mean: sockets.mean[hour] ?? 0,
    max: sockets.max[hour] ?? 0
  }))
  return {
    name: "players",
    title: "Players connected",
    says: "The line is the mean of each hour, the pale area reaches to its busiest minute in any run.",
    svg: drawn({
      x: timeAxis,
      y: { label: null, grid: true, tickFormat: ",d" },
      marks: [
        Plot.areaY(rows, { x: "at", y: "max", fill: "#2563eb", fillOpacity: 0.2 }),
        Plot.lineY(rows, { x: "at", y: "mean", stroke: "#2563eb", strokeWidth: 1.2 }),
        Plot.ruleY([0]),
        ...walls(report)
      ]
    })
  }
}

const usedBy: Readonly<Record<Resource, Column>> = {
  cpu: "cpuCores",
  serviceThread: "serviceCores",
  memory: "memoryBytes"
}

const machines = (report: PlanReport, planned: Planned): PlanPlot => {
  const usable = usableOf(planned)
  const times = hoursOf(report)
  const rows = Resources.flatMap((resource) =>
    times.map((at, hour) => ({
      at,
      resource: resourceNames[resource],
      machines: (report.hours[usedBy[resource]].max[hour] ?? 0) / usable[resource]
    }))
  )
  const busy = report.fleet.machines.p95 - 1
  return {
    name: "machines",
    title: "Machines that each hour needs",
    says: "Of each resource, in its busiest minute in any run; the dashed line is what the answer rents, without the spare machine.",
    svg: drawn({
      x: timeAxis,
      y: { label: null, grid: true },
      color: { domain: Resources.map((each) => resourceNames[each]), range: colors },
      marks: [
        Plot.lineY(rows, { x: "at", y: "machines", stroke: "resource", strokeWidth: 1.2 }),
        Plot.ruleY([busy], { strokeDasharray: "4 3", stroke: "#475569" }),
        Plot.ruleY([0]),
        ...legend(Resources.map((each) => resourceNames[each]))
      ]
    })
  }
}

/** Meters that grow with the hours: what they have used by each hour, as a part of their cap. */
const caps = (report: PlanReport): PlanPlot => {
  const { hours, meters } = report
  const growing: ReadonlyArray<readonly [Meter, ReadonlyArray<number>]> = [
    ["roomHours", hours.roomsAwake.mean],
    ["dataOutBytes", hours.egressBytesPerSecond.mean.map((each) => each * (HourMs / SecondMs))]
  ]
  const times = hoursOf(report)
  const names = growing.map(([meter]) => {
    const ceiling = meters.find((each) => each.meter === meter)?.ceiling
    return `${meterNames[meter]} of ${ceiling === null ? "the allowance" : "the ceiling"}`
  })
  const rows = growing.flatMap(([meter, perHour], which) => {
    const row = meters.find((each) => each.meter === meter)
    const cap = row?.ceiling ?? row?.allowance ?? 0
    let used = 0
    return times.map((at, hour) => {
      used += perHour[hour] ?? 0
      return { at, meter: names[which], percent: cap === 0 ? 0 : (used / cap) * 100 }
    })
  })
  return {
    name: "caps",
    title: "Caps over the month",
    says: "How much of its cap each meter has used, in percent. Without a ceiling it is the allowance, which is a wall on the free plan only.",
    svg: drawn({
      x: timeAxis,
      y: { label: null, grid: true, tickFormat: (value: number) => `${value}%` },
      color: { domain: names, range: colors },
      marks: [
        Plot.lineY(rows, { x: "at", y: "percent", stroke: "meter", strokeWidth: 1.6 }),
        Plot.ruleY([100], { strokeDasharray: "4 3", stroke: "#475569" }),
        Plot.ruleY([0]),
        ...walls(report),
        ...legend(names)
      ]
    })
  }
}

/** How many of the parameters a picture shows. */
const shownMax = 8

const influences = ({ dependsOn }: PlanReport): PlanPlot => {
  const rows = dependsOn.slice(0, shownMax).flatMap((each) => [
    { parameter: each.parameter, change: each.costAtLess, way: ways[0] },
    { parameter: each.parameter, change: each.costAtMore, way: ways[1] }
  ])
  return {
    name: "influences",
    title: "What the cost depends on",
    says: "Change of the month's cost when one number of the scenario is a tenth less or a tenth more.",
    svg: drawn({
      marginLeft: 190,
      x: { label: null, grid: true, tickFormat: changeText },
      y: { label: null, domain: rows.map(({ parameter }) => parameter) },
      color: { domain: ways, range: colors },
      marks: [
        Plot.barX(rows, { x1: 0, x2: "change", y: "parameter", fill: "way", inset: 2 }),
        Plot.ruleX([0]),
        ...legend(ways)
      ]
    })
  }
}

const ways = ["10% less of it", "10% more of it"]
