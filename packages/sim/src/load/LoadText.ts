import type { DurationSummary } from "./Durations.ts"
import type { LoadLook, LoadReport } from "./LoadReport.ts"
import type { Judged } from "./Thresholds.ts"

const whole = (value: number): string => Math.round(value).toLocaleString("en-US")
const percent = (share: number): string => `${Math.round(share * 100)} %`

const seconds = (ms: number): string => {
  const all = Math.round(ms / 1000)
  return all < 60 ? `${all}s` : `${Math.floor(all / 60)}m${String(all % 60).padStart(2, "0")}s`
}

/** Three digits, as milliseconds of a noisy machine have no more. */
const figure = (ms: number): string => (ms >= 100 ? whole(ms) : ms.toPrecision(3))

const bytesText = (count: number): string => {
  const step = [1024 ** 3, 1024 ** 2, 1024].findIndex((each) => count >= each)
  if (step < 0) return `${Math.round(count)} B`
  return `${figure(count / 1024 ** (3 - step))} ${["GiB", "MiB", "KiB"][step]}`
}

const spanText = (summary: DurationSummary | null): string =>
  summary === null ? "–" : `p50 ${figure(summary.med)} ms, p99 ${figure(summary.p99)} ms`

const targetText = ({ arrival, moment, most }: LoadLook): string =>
  arrival === "players"
    ? `of ${whole(moment.target)} wanted now, ${whole(most)} at most`
    : `${figure(moment.target)} joins/s wanted now, ${figure(most)} at most`

/** The table at a terminal, drawn anew each second: names and values. */
export const liveText = (look: LoadLook): string => {
  const { perSecond, generator } = look
  const rows: ReadonlyArray<readonly [name: string, value: string]> = [
    [
      "run",
      `${seconds(look.elapsedMs)} of ${seconds(look.spanMs)}, ${look.moment.phase?.name ?? "over"}`
    ],
    ["players", `${whole(look.playing)} in ${whole(look.rooms)} rooms, ${targetText(look)}`],
    [
      "joins",
      `${whole(look.joined)} done, ${whole(look.refused)} refused, ${whole(look.dropped)} connections dropped`
    ],
    ["join", spanText(look.spans.joinMs)],
    ["patch", spanText(look.spans.patchMs)],
    ["ping", spanText(look.spans.pingMs)],
    [
      "per second",
      `${whole(perSecond.messages)} messages out, ${whole(perSecond.patches)} patches in, ` +
        `${bytesText(perSecond.bytesOut)} out, ${bytesText(perSecond.bytesIn)} in`
    ],
    [
      "this process",
      `${generator.cores.toFixed(2)} cores, its loop ${percent(generator.busy)} busy`
    ]
  ]
  return rowsText(rows)
}

/** One line of a run that nobody watches at a terminal. */
export const lookLine = (look: LoadLook): string =>
  [
    seconds(look.elapsedMs),
    look.moment.phase?.name ?? "over",
    `${whole(look.playing)} players in ${whole(look.rooms)} rooms`,
    `${whole(look.joined)} joined`,
    `${whole(look.refused)} refused`,
    `${whole(look.dropped)} dropped`,
    `join ${spanText(look.spans.joinMs)}`,
    `patch ${spanText(look.spans.patchMs)}`,
    `loop ${percent(look.generator.busy)} busy`
  ].join(" | ")

/** The report for people. */
export const reportText = (report: LoadReport): string => {
  const { joins, connections, messages, bytes, generator, spans } = report
  const rows: ReadonlyArray<readonly [name: string, value: string]> = [
    ["service", `${report.service}, project ${report.project}, room type ${report.type}`],
    [
      "run",
      `${seconds(report.seconds * 1000)}${report.ended === "stopped" ? ", stopped before its end" : ""}; ` +
        `scale ${report.scale}, seed ${report.seed}`
    ],
    ["players", `${whole(report.players.most)} at once in ${whole(report.players.rooms)} rooms`],
    [
      "joins",
      `${whole(joins.joined)} of ${whole(joins.started)}${countsText(joins.refused, "refused")}`
    ],
    [
      "connections",
      `${whole(connections.rejoined)} came back, ${whole(connections.lost)} did not${countsText(connections.dropped, "dropped")}`
    ],
    [
      "messages",
      `${whole(messages.sent)} sent, ${whole(messages.late)} of them late; ${whole(messages.patches)} patches and ` +
        `${whole(messages.deliveries)} messages of others came${countsText(messages.refused, "refused")}`
    ],
    ["bytes", `${bytesText(bytes.out)} out, ${bytesText(bytes.in)} in`],
    ["join", summaryText(spans.joinMs)],
    ["patch", summaryText(spans.patchMs)],
    ["ping", summaryText(spans.pingMs)],
    [
      "this process",
      `${generator.cores.toFixed(2)} cores, ${generator.cpuSeconds.toFixed(1)} s of CPU; its loop was ` +
        `${percent(generator.busiest)} busy at most`
    ],
    ...report.thresholds.map((judged): readonly [string, string] => [
      judged.kept ? "kept" : "missed",
      judgedText(judged)
    ]),
    ...report.notes.map((note): readonly [string, string] => ["note", note]),
    ...report.leftOut.map((each): readonly [string, string] => ["left out", each])
  ]
  return rowsText(rows)
}

/** `joinMs p(99)<1000: 412` */
export const judgedText = ({ metric, condition, value }: Judged): string =>
  `${metric} ${condition}: ${value === null ? "nothing was measured" : valueText(metric, value)}`

const valueText = (metric: Judged["metric"], value: number): string =>
  metric.endsWith("Ms") ? figure(value) : String(Number(value.toPrecision(4)))

const countsText = (counts: Readonly<Record<string, number>>, what: string): string => {
  const each = Object.entries(counts).map(([name, count]) => `${whole(count)} × ${name}`)
  return each.length === 0 ? "" : `; ${what}: ${each.join(", ")}`
}

const summaryText = (summary: DurationSummary | null): string =>
  summary === null
    ? "nothing was measured"
    : `p50 ${figure(summary.med)}, p95 ${figure(summary.p95)}, p99 ${figure(summary.p99)}, most ${figure(summary.max)} ms ` +
      `(${whole(summary.count)})`

const rowsText = (rows: ReadonlyArray<readonly [name: string, value: string]>): string => {
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join("\n")
}
