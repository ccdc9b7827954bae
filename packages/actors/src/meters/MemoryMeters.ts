import { eachMeter, type Meter } from "@atrium/domain/meters/Caps"
import { exactAmount, inOwnUnit } from "@atrium/domain/meters/Metering"
import { MeterLimits } from "@atrium/domain/meters/MeterLimits"
import type { ProjectId } from "@atrium/domain/shared/Ids"

import { deletionTable, projectTable } from "../projects/ProjectStore.ts"
import {
  atNow,
  type MemoryDatabase,
  MemoryTable,
  type MemoryTables
} from "../store/MemoryDatabase.ts"
import { byPeriod, type MeterReport, type PeriodSum } from "./MeterReport.ts"

/** What a project used of each meter, in milliseconds or bytes. */
type Amounts = Record<Meter, number>

type Period = Pick<PeriodSum, "projectId" | "startMs">

/** The exact amounts of each project and billing period, by {@link periodKey}. */
export const useTable = new MemoryTable<Amounts>()

/** The exact amounts of each project and day, by project and the day's beginning. */
export const dayTable = new MemoryTable<Amounts>()

/** The last report of each run of a runner. */
const reportTable = new MemoryTable<{ readonly sequence: number; readonly takenAtMs: number }>()

export const periodKey = ({ projectId, startMs }: Period): string => `${projectId}/${startMs}`

/** Whether there is such a project: the meters of a deleted one have ended. */
export const isMetered = (tables: MemoryTables, projectId: ProjectId): boolean =>
  projectTable.rowsIn(tables).has(projectId) && !deletionTable.rowsIn(tables).has(projectId)

/** What a project used of each meter in a billing period, in its own unit. */
export const usesIn = (tables: MemoryTables, period: Period): Record<Meter, number> =>
  shown(useTable.rowsIn(tables).get(periodKey(period)))

interface Days {
  readonly projectId: ProjectId
  readonly fromMs: number
  readonly toMs: number
}

/** The queries of `MeterStore` in memory. */
export const memoryMeters = (database: MemoryDatabase["Service"]) => {
  const { tables, ask } = database
  const [uses, days] = [useTable.rowsIn(tables), dayTable.rowsIn(tables)]
  return {
    read: (period: Period) => ask("MeterStore.read", () => usesIn(tables, period)),
    days: ({ projectId, fromMs, toMs }: Days) =>
      ask("MeterStore.days", () =>
        [...days]
          .map(([key, amounts]) => ({ of: key.split("/"), uses: shown(amounts) }))
          .filter(({ of: [id] }) => id === projectId)
          .map(({ of: [, day], uses: ofDay }) => ({ dayStartsAtMs: Number(day), uses: ofDay }))
          .filter(({ dayStartsAtMs: day }) => day >= fromMs && day < toMs)
          .sort((one, other) => one.dayStartsAtMs - other.dayStartsAtMs)
      ),
    set: (period: Period, { meter, used }: { readonly meter: Meter; readonly used: number }) =>
      ask("MeterStore.set", () => {
        const before = uses.get(periodKey(period)) ?? eachMeter(0)
        uses.set(periodKey(period), { ...before, [meter]: exactAmount(meter, used) })
      }),
    removeOld: atNow(database)("MeterStore.removeOld", (nowMs) => {
      for (const key of days.keys()) {
        if (Number(key.split("/")[1]) < nowMs - MeterLimits.daysKept.ms) days.delete(key)
      }
    }),
    take: (report: MeterReport) =>
      atNow(database)("MeterStore.take", (nowMs) => {
        if (!moveOn(tables, report, nowMs)) return
        const live = report.sums.filter(({ projectId }) => isMetered(tables, projectId))
        for (const { projectId, dayStartsAtMs, meter, amount } of live) {
          add(days, `${projectId}/${dayStartsAtMs}`, { meter, amount })
        }
        for (const { meter, amount, ...period } of byPeriod(live)) {
          add(uses, periodKey(period), { meter, amount })
        }
      })
  }
}

const moveOn = (tables: MemoryTables, { run, sequence }: MeterReport, nowMs: number): boolean => {
  const reports = reportTable.rowsIn(tables)
  const last = reports.get(run)
  if (last !== undefined && last.sequence !== sequence - 1) return false
  reports.set(run, { sequence, takenAtMs: nowMs })
  if (sequence === 1) {
    for (const [each, { takenAtMs }] of reports) {
      if (takenAtMs < nowMs - MeterLimits.runKept.ms) reports.delete(each)
    }
  }
  return last !== undefined || sequence === 1
}

const add = (
  rows: Map<string, Amounts>,
  key: string,
  { meter, amount }: { readonly meter: Meter; readonly amount: number }
): void => {
  const before = rows.get(key) ?? eachMeter(0)
  rows.set(key, { ...before, [meter]: Math.min(before[meter] + amount, MeterLimits.amount.max) })
}

const shown = (amounts: Amounts = eachMeter(0)): Record<Meter, number> => {
  return {
    roomHours: inOwnUnit("roomHours", amounts.roomHours),
    voiceMinutes: inOwnUnit("voiceMinutes", amounts.voiceMinutes),
    storageBytes: inOwnUnit("storageBytes", amounts.storageBytes),
    dataOutBytes: inOwnUnit("dataOutBytes", amounts.dataOutBytes)
  }
}
