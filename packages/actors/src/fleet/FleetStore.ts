import { FleetLimits } from "@atrium/domain/fleet/FleetLimits"
import { type RunnerSetting, RunnerSettings } from "@atrium/domain/fleet/RunnerStatus"
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

import { databaseNowMs } from "../store/DatabaseClock.ts"
import { atNow, byText, MemoryDatabase, MemoryTable } from "../store/MemoryDatabase.ts"
import { readRows } from "../store/ReadRows.ts"

const reportFields = {
  /** Its address, or `aloneName`. */
  runner: Schema.String,
  startedAtMs: Schema.Int,
  version: Schema.String,
  rooms: Schema.Int,
  clients: Schema.Int,
  /** The shares of its awake rooms, in 120ths of a server. */
  load: Schema.Int,
  /** Memory that is left on its machine; `null` = its system does not say. */
  freeBytes: Schema.NullOr(Schema.Int)
}

/** What a runner tells of itself. */
export type RunnerReport = Schema.Struct.Type<typeof reportFields>

const Runner = Schema.Struct({
  ...reportFields,
  setting: Schema.Literals(RunnerSettings),
  heardAtMs: Schema.Int,
  /** Since its last report. */
  silentMs: Schema.Int
})
const readRunners = readRows(Runner)

export type RunnerRow = typeof Runner.Type

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
      list: readRunners(sql`
        select *, ${databaseNowMs(sql)} - heard_at_ms as silent_ms from runners
        where heard_at_ms > ${databaseNowMs(sql)} - ${FleetLimits.runnerKept.ms}
        order by runner collate "C"`).pipe(Effect.withSpan("FleetStore.list")),
      order: Effect.fn("FleetStore.order")(function* (runner: string, setting: RunnerSetting) {
        const [row] = yield* readRunners(sql`
          update runners set setting = ${setting} where runner = ${runner}
          returning *, ${databaseNowMs(sql)} - heard_at_ms as silent_ms`)
        return row ?? null
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
