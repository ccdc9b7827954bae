import { FleetLimits } from "@atrium/domain/fleet/FleetLimits"
import type { RunnerSetting } from "@atrium/domain/fleet/RunnerStatus"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

import { databaseNowMs } from "../store/DatabaseClock.ts"
import { atNow, byText, MemoryDatabase, MemoryTable } from "../store/MemoryDatabase.ts"

/** What a runner tells of itself. */
export interface RunnerReport {
  /** Its address, or `aloneName`. */
  readonly runner: string
  readonly startedAtMs: number
  readonly version: string
  readonly rooms: number
  readonly clients: number
  /** The shares of its awake rooms, in 120ths of a server. */
  readonly load: number
  /** Memory that is left on its machine; `null` = its system does not say. */
  readonly freeBytes: number | null
}

export interface RunnerRow extends RunnerReport {
  readonly setting: RunnerSetting
  readonly heardAtMs: number
  /** Since its last report. */
  readonly silentMs: number
}

/** What a runner learns from its report. */
export interface Reported {
  readonly setting: RunnerSetting
  /** Another runner is open, and was heard lately. */
  readonly others: boolean
}

/** The runners of the service. A failing store is a defect. Source: C-432. */
export class FleetStore extends Context.Service<
  FleetStore,
  {
    /** Notes that a runner lives. A runner that has started anew is open. */
    report(report: RunnerReport): Effect.Effect<Reported>
    /** The runners that were heard within the last hour, by name. */
    readonly list: Effect.Effect<ReadonlyArray<RunnerRow>>
    /** `null` = there is no such runner. */
    order(runner: string, setting: RunnerSetting): Effect.Effect<RunnerRow | null>
  }
>()("@atrium/actors/fleet/FleetStore") {
  static readonly layerSql = Layer.effect(
    FleetStore,
    Effect.map(SqlClient.SqlClient, (sql) => ({
      report: reporting(sql),
      list: Effect.map(
        Effect.orDie(sql<RunnerColumns>`
          select *, ${databaseNowMs(sql)} - heard_at_ms as silent_ms from runners
          where heard_at_ms > ${databaseNowMs(sql)} - ${FleetLimits.runnerKept.ms}
          order by runner collate "C"`),
        (rows) => rows.map(rowOf)
      ).pipe(Effect.withSpan("FleetStore.list")),
      order: Effect.fn("FleetStore.order")(function* (runner: string, setting: RunnerSetting) {
        const [row] = yield* Effect.orDie(sql<RunnerColumns>`
          update runners set setting = ${setting} where runner = ${runner}
          returning *, ${databaseNowMs(sql)} - heard_at_ms as silent_ms`)
        return row === undefined ? null : rowOf(row)
      })
    }))
  )

  static readonly layerMemory = Layer.effect(
    FleetStore,
    Effect.map(MemoryDatabase, (database) => {
      const runners = runnerTable.rowsIn(database.tables)
      const ask = atNow(database)
      const shown = (row: MemoryRunner, atMs: number): RunnerRow => ({
        ...row,
        silentMs: atMs - row.heardAtMs
      })
      return {
        report: (report) =>
          ask("FleetStore.report", (atMs) => {
            const known = runners.get(report.runner)
            const setting = known?.startedAtMs === report.startedAtMs ? known.setting : "open"
            runners.set(report.runner, { ...report, setting, heardAtMs: atMs })
            const others = [...runners.values()].some(
              (other) =>
                other.runner !== report.runner &&
                other.setting === "open" &&
                other.heardAtMs > atMs - FleetLimits.runnerSilent.ms
            )
            return { setting, others }
          }),
        list: ask("FleetStore.list", (atMs) =>
          [...runners.values()]
            .filter(({ heardAtMs }) => heardAtMs > atMs - FleetLimits.runnerKept.ms)
            .sort((one, other) => byText(one.runner, other.runner))
            .map((row) => shown(row, atMs))
        ),
        order: (runner, setting) =>
          ask("FleetStore.order", (atMs) => {
            const known = runners.get(runner)
            if (known === undefined) return null
            const row = { ...known, setting }
            runners.set(runner, row)
            return shown(row, atMs)
          })
      }
    })
  )
}

type MemoryRunner = Omit<RunnerRow, "silentMs">

export const runnerTable = new MemoryTable<MemoryRunner>()

interface RunnerColumns {
  readonly runner: string
  readonly started_at_ms: bigint
  readonly heard_at_ms: bigint
  readonly silent_ms: bigint
  readonly version: string
  readonly rooms: number
  readonly clients: number
  readonly load: number
  readonly free_bytes: bigint | null
  readonly setting: RunnerSetting
}

const rowOf = (row: RunnerColumns): RunnerRow => ({
  runner: row.runner,
  startedAtMs: Number(row.started_at_ms),
  heardAtMs: Number(row.heard_at_ms),
  silentMs: Number(row.silent_ms),
  version: row.version,
  rooms: row.rooms,
  clients: row.clients,
  load: row.load,
  freeBytes: row.free_bytes === null ? null : Number(row.free_bytes),
  setting: row.setting
})

const reporting = (sql: SqlClient.SqlClient) =>
  Effect.fn("FleetStore.report")(function* (report: RunnerReport) {
    const { runner, startedAtMs, version, rooms, clients, load, freeBytes } = report
    const rows = yield* Effect.orDie(sql<Reported>`
      with heard as (
        insert into runners as known (runner, started_at_ms, heard_at_ms, version, rooms, clients,
          load, free_bytes, setting)
        values (${runner}, ${startedAtMs}, ${databaseNowMs(sql)}, ${version}, ${rooms}, ${clients},
          ${load}, ${freeBytes}, 'open')
        on conflict (runner) do update set
          setting = case when known.started_at_ms = excluded.started_at_ms
            then known.setting else 'open' end,
          started_at_ms = excluded.started_at_ms, heard_at_ms = excluded.heard_at_ms,
          version = excluded.version, rooms = excluded.rooms, clients = excluded.clients,
          load = excluded.load, free_bytes = excluded.free_bytes
        returning setting
      )
      select setting, exists (
        select from runners where runner <> ${runner} and runners.setting = 'open'
          and heard_at_ms > ${databaseNowMs(sql)} - ${FleetLimits.runnerSilent.ms}
      ) as others from heard`)
    return rows[0] ?? { setting: "open" as const, others: false }
  })
