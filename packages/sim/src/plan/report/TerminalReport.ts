import type { Scenario } from "../../scenario/Scenario.ts"
import type { MeterReport, PlanReport } from "./PlanReport.ts"
import {
  bindsTexts,
  bytesText,
  changeText,
  columnNames,
  columnText,
  meterNames,
  meterText,
  momentsText,
  momentText,
  numberText,
  percentText,
  resourceNames,
  spreadText
} from "./Words.ts"

type Row = ReadonlyArray<string>

/** Rows with columns as wide as they must be; all but the first and the last are set to the right. */
const table = (rows: ReadonlyArray<Row>): ReadonlyArray<string> => {
  const count = Math.max(...rows.map((row) => row.length))
  const widths = Array.from({ length: count }, (_, at) =>
    Math.max(...rows.map((row) => [...(row[at] ?? "")].length))
  )
  return rows.map((row) =>
    `  ${row
      .map((cell, at) => {
        const space = " ".repeat((widths[at] ?? 0) - [...cell].length)
        return at === 0 || at === count - 1 ? cell + space : space + cell
      })
      .join("  ")}`.trimEnd()
  )
}

/** The report for people, in plain text. */
export const terminalReport = (report: PlanReport, scenario: Scenario): string =>
  [
    ...heading(report),
    "",
    ...answer(report, scenario),
    "",
    ...caps(report),
    "",
    ...refusals(report),
    "",
    ...peaks(report),
    "",
    ...influences(report),
    "",
    ...promises(report),
    "",
    "WHAT THIS PLAN LEAVES OUT",
    ...report.leftOut.map((each) => `  ${each}`)
  ].join("\n")

const heading = ({ scenario, period, runs, seed, whatIf, calibration }: PlanReport) => {
  const span = `${momentText(period.from)} to ${momentText(period.to)} UTC`
  const some =
    runs === 0
      ? `stopped: ${period.plannedDays} of ${period.days} days of one run`
      : `${runs} ${runs === 1 ? "run" : "runs"}`
  const machine = calibration.isDefault
    ? `Costs of a join, a room, a message: the default figures, measured on ${calibration.machine}, ${calibration.measuredOn}. Your machines differ: atrium sim calibrate`
    : `Costs of a join, a room, a message: measured on ${calibration.machine}, ${calibration.measuredOn}`
  return [
    `${scenario}: ${span}, ${some}, seed ${seed}`,
    ...whatIf.map((each) => `What if ${each}`),
    machine
  ]
}

const money = (value: number): string =>
  numberText(value >= 100 ? Math.round(value) : Math.round(value * 100) / 100)

const answer = (report: PlanReport, scenario: Scenario): ReadonlyArray<string> => {
  const { fleet, cost } = report
  const { runner } = scenario.fleet
  const { withCaps, withoutCaps, runaway } = cost
  // The machines that the answer names are those of the runs that need most.
  const { total, runners, postgres, egress } = withCaps.p95
  const range =
    withCaps.p5.total === withCaps.p95.total
      ? ""
      : ` (half of the runs: at most ${money(withCaps.p50.total)})`
  const rows: ReadonlyArray<readonly [string, string]> = [
    [
      "Machines",
      `${numberText(fleet.machines.p95)}: ${numberText(fleet.machines.p95 - 1)} for the busiest minute, and one spare`
    ],
    [
      "",
      `each with ${numberText(runner.cores)} cores and ${bytesText(runner.memory)}, of which ${percentText(scenario.fleet.headroom)} is kept free`
    ],
    ["", `The busiest minute is ${momentText(fleet.busiestAt)} UTC. ${bindsTexts[fleet.binds]}`],
    [
      "",
      `Machines by resource: ${resourceNames.cpu} ${numberText(fleet.needs.cpu.p95)}, ${resourceNames.serviceThread} ${numberText(fleet.needs.serviceThread.p95)}, ${resourceNames.memory} ${numberText(fleet.needs.memory.p95)}`
    ],
    [
      "Database",
      `${numberText(fleet.database.writesPerSecond.p95)} of ${numberText(fleet.database.sustained)} writes a second at most`
    ],
    [
      "The month",
      `${money(total)}${range}: machines ${money(runners)}, database ${money(postgres)}, data out ${money(egress)}`
    ],
    ...(withoutCaps === null
      ? []
      : [["", `without caps it would be ${money(withoutCaps.total)}`] as const]),
    ...(runaway === null ? [] : runawayRows(runaway))
  ]
  return ["THE ANSWER", ...rows.map(([name, text]) => `  ${name.padEnd(11)}${text}`.trimEnd())]
}

const runawayRows = ({
  withCaps,
  withoutCaps
}: NonNullable<PlanReport["cost"]["runaway"]>): ReadonlyArray<readonly [string, string]> => [
  [
    "The loop",
    `with the caps ${numberText(withCaps.roomHours)} room hours, machine time worth ${money(withCaps.worth)}, ${money(withCaps.cost)} more on the bill`
  ],
  [
    "",
    `without them ${numberText(withoutCaps.roomHours)} room hours, worth ${money(withoutCaps.worth)}, ${money(withoutCaps.cost)} more on the bill`
  ]
]

const caps = ({ meters }: PlanReport): ReadonlyArray<string> => [
  "CAPS (moments in UTC)",
  ...table([
    ["", "used", "allowance", "ceiling", "warning", "wall stands"],
    ...meters.map((meter) => [
      meterNames[meter.meter],
      spreadText(meter.used, (value) => meterText(meter.meter, value)),
      meterText(meter.meter, meter.allowance),
      meter.ceiling === null ? "none" : meterText(meter.meter, meter.ceiling),
      momentsText(meter.warnedAt),
      momentsText(meter.walledAt)
    ])
  ]),
  ...meters.flatMap(wall)
]

/** What a wall that stands means for people. */
const wall = (meter: MeterReport): ReadonlyArray<string> => {
  if (meter.walledAt === null) return []
  const reached = meter.ceilingAt ?? meter.allowanceAt
  return [
    `  ${meterNames[meter.meter]}: the cap is reached ${momentsText(reached)}; the wall stands ${meter.lag}.`,
    `    It refuses: ${meter.refuses.join("; ")}.`,
    `    The code: ${meter.code}. Players who do not get in: ${spreadText(meter.refusedPlayers)}.`
  ]
}

const refusals = ({ refusals: rows, sessions }: PlanReport): ReadonlyArray<string> => {
  const head = `WHO IS REFUSED: ${spreadText(sessions.refused)} of ${spreadText(sessions.started)} players`
  const lost = `  ${spreadText(sessions.lost)} players got in and were cut off for good.`
  if (rows.length === 0) return [head, lost]
  return [
    head,
    ...table([
      ["code", "players", "of all", "attempts", "limit"],
      ...rows.map((row) => [
        row.code,
        spreadText(row.players),
        percentText(row.share),
        spreadText(row.attempts),
        row.says
      ])
    ]),
    lost
  ]
}

const peaks = ({ peaks: rows }: PlanReport): ReadonlyArray<string> => [
  "HOW BUSY IT IS (means of a minute)",
  ...table([
    ["", "half of the time below", "95% of the time below", "most", "when, UTC"],
    ...rows.map(({ column, p50, p95, max, maxAt }) => [
      columnNames[column],
      columnText(column, p50),
      columnText(column, p95),
      columnText(column, max),
      momentText(maxAt)
    ])
  ])
]

const influences = ({ dependsOn }: PlanReport): ReadonlyArray<string> =>
  dependsOn.length === 0
    ? ["WHAT THE ANSWER DEPENDS ON MOST", "  not asked: the plan was stopped"]
    : [
        "WHAT THE ANSWER DEPENDS ON MOST (machines counted in parts)",
        ...table([
          ["", "10% less of it", "10% more of it", ""],
          ...dependsOn
            .slice(0, 3)
            .map(({ parameter, machinesAtLess, machinesAtMore, costAtLess, costAtMore }) => [
              parameter,
              `machines ${changeText(machinesAtLess)}, cost ${changeText(costAtLess)}`,
              `machines ${changeText(machinesAtMore)}, cost ${changeText(costAtMore)}`,
              ""
            ])
        ])
      ]

const promiseNames: Readonly<Record<PlanReport["promises"][number]["name"], string>> = {
  joinP99: "slo.joinP99",
  tickLate: "slo.tickLate",
  failover: "slo.failover",
  database: "database",
  roomCpu: "CPU of a full room",
  roomMemory: "memory of a room",
  caps: "caps"
}

const promises = ({ promises: rows, kept }: PlanReport): ReadonlyArray<string> => [
  kept ? "PROMISES: all are kept" : "PROMISES: not all are kept (--check ends with 1)",
  ...table([
    ["", "", "promised", "planned", ""],
    ...rows.map(({ name, promised, planned, kept: isKept, why }) => [
      promiseNames[name],
      isKept ? "kept" : "BROKEN",
      promised,
      planned,
      why
    ])
  ])
]
