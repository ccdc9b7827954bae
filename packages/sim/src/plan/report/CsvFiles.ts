import { DateTime } from "effect"

import { Columns } from "../engine/Minutes.ts"
import type { PlanReport } from "./PlanReport.ts"

type Cell = string | number | null

const line = (cells: ReadonlyArray<Cell>): string =>
  cells
    .map((cell) => {
      const text = cell === null ? "" : String(cell)
      return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
    })
    .join(",")

const file = (rows: ReadonlyArray<ReadonlyArray<Cell>>): string => `${rows.map(line).join("\n")}\n`

/** The report as tables, by the name of their file. */
export const csvFiles = (report: PlanReport): ReadonlyMap<string, string> =>
  new Map([
    ["hours.csv", hours(report)],
    ["meters.csv", meters(report)],
    ["refusals.csv", refusals(report)]
  ])

const hours = ({ hours: all }: PlanReport): string => {
  const kinds = ["mean", "p50", "p95", "max"] as const
  const from = DateTime.makeUnsafe(all.from)
  return file([
    ["hour", ...Columns.flatMap((column) => kinds.map((kind) => `${column}_${kind}`))],
    ...Array.from({ length: all.count }, (_, hour) => [
      DateTime.formatIso(DateTime.add(from, { hours: hour })),
      ...Columns.flatMap((column) => kinds.map((kind) => all[column][kind][hour] ?? null))
    ])
  ])
}

const meters = ({ meters: rows }: PlanReport): string =>
  file([
    ["meter", "used_p5", "used_p50", "used_p95", "allowance", "ceiling"].concat([
      "warned_at",
      "allowance_at",
      "ceiling_at",
      "walled_at",
      "refused_players_p50"
    ]),
    ...rows.map((row) => [
      row.meter,
      row.used.p5,
      row.used.p50,
      row.used.p95,
      row.allowance,
      row.ceiling,
      row.warnedAt?.median ?? null,
      row.allowanceAt?.median ?? null,
      row.ceilingAt?.median ?? null,
      row.walledAt?.median ?? null,
      row.refusedPlayers.p50
    ])
  ])

const refusals = ({ refusals: rows }: PlanReport): string =>
  file([
    ["limit", "code", "players_p50", "share", "attempts_p50", "says"],
    ...rows.map((row) => [
      row.limit,
      row.code,
      row.players.p50,
      row.share,
      row.attempts.p50,
      row.says
    ])
  ])
