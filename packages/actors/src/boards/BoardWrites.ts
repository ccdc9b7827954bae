import { BoardLimits } from "@atrium/domain/boards/BoardLimits"
import { periodAt } from "@atrium/domain/boards/BoardPeriods"
import type { Board } from "@atrium/domain/boards/Boards"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { Clock, Effect } from "effect"
import type { SqlClient } from "effect/sql"

import {
  type Entry,
  entryKey,
  type PlacedSubmit,
  placed,
  type ScoreBook,
  step,
  type Submit,
  SubmitOutcome
} from "./BoardMachine.ts"
import { balanceSteps, type CountedStep, lockScores } from "./BoardSteps.ts"

/** What one submit meets. */
interface MetRow {
  readonly n: number
  /** Of the project: its scores, and which write to them was the last. */
  readonly rows: number
  readonly version: number
  readonly boardId: number | null
  readonly declared: Board | null
  readonly seriesId: number | null
  readonly key: number | null
  readonly atMs: number | null
  readonly counted: boolean
}

interface Batch {
  readonly sql: SqlClient.SqlClient
  readonly projectId: ProjectId
  readonly nowMs: number
}

/** A submit and the rows that it met. */
interface MetSubmit extends PlacedSubmit {
  readonly met: MetRow
}

/** The result of a batch as it was read, and what has to be written for it. */
interface Decided {
  readonly outcomes: ReadonlyArray<SubmitOutcome>
  readonly version: number
  readonly before: ScoreBook
  readonly after: ScoreBook
  /** The submits whose scores change, by the keys of their entries. */
  readonly changed: ReadonlyMap<string, MetSubmit>
}

/** Batches that may lose to other runners before one waits for its turn. */
const triesBesideOthers = 3

/**
 * Counts scores: one statement reads, one writes. The write counts up the version in the project's row of
 * `score_counts`, and does nothing if another runner has written since the read. The batch is decided anew
 * then; after some tries it locks the row first. Source: C-581.
 */
export const writingScores = (sql: SqlClient.SqlClient) =>
  Effect.fn("BoardStore.submit")(function* (projectId: ProjectId, submits: ReadonlyArray<Submit>) {
    const batch = { sql, projectId, nowMs: yield* Clock.currentTimeMillis }
    for (let tries = 0; tries < triesBesideOthers; tries++) {
      const outcomes = yield* Effect.orDie(attempt(batch, submits))
      if (outcomes !== null) return outcomes
    }
    const locked = Effect.andThen(lockScores(batch), attempt(batch, submits))
    const outcomes = yield* Effect.orDie(sql.withTransaction(locked))
    return outcomes ?? (yield* Effect.die(new Error("scores changed although they are locked")))
  })

/** @returns `null` = another runner wrote meanwhile, and nothing was written */
const attempt = Effect.fnUntraced(function* (batch: Batch, submits: ReadonlyArray<Submit>) {
  let decided = decide(batch, submits, yield* read(batch, submits))
  const missing = seriesMissing(decided)
  if (missing.length > 0) {
    yield* makeSeries(batch, missing)
    decided = decide(batch, submits, yield* read(batch, submits))
    // The board was removed meanwhile.
    if (seriesMissing(decided).length > 0) return null
  }
  return (yield* write(batch, decided)) ? decided.outcomes : null
})

const read = ({ sql, projectId, nowMs }: Batch, submits: ReadonlyArray<Submit>) => {
  const asked = submits.map(({ board, bucket, playerId, digest }, n) => ({
    n,
    board,
    bucket: bucket ?? "",
    playerId,
    digest
  }))
  return sql<MetRow>`
    select given.n, counts.scores::double precision as rows,
      counts.version::double precision as version,
      boards.board_id::double precision as "boardId",
      projects.boards -> boards.board as declared,
      series.series_id::double precision as "seriesId",
      scores.key::double precision as key, scores.at_ms::double precision as "atMs",
      ids.digest is not null as counted
    from json_to_recordset(${JSON.stringify(asked)}::json) as given(n integer, board text,
        bucket text, "playerId" text, digest text)
      join score_counts counts on counts.project_id = ${projectId}
      join projects on projects.project_id = counts.project_id and projects.deleted_at_ms is null
      left join boards on boards.project_id = counts.project_id and boards.board = given.board
        and not boards.removed
      left join board_series series on series.board_id = boards.board_id and not series.removed
        and series.bucket = given.bucket and series.period = ${currentPeriod(sql, nowMs)}
      left join scores on scores.series_id = series.series_id
        and scores.player = given."playerId"
      left join score_ids ids on ids.project_id = counts.project_id and ids.digest = given.digest
        and ids.at_ms > ${nowMs - BoardLimits.submitIdKept.ms}
    order by given.n`
}

/** The name of the current period of `boards.board` of `projects`, as `periodAt` has it. */
export const currentPeriod = (sql: SqlClient.SqlClient, nowMs: number) => sql`
  case projects.boards -> boards.board ->> 'period'
    when 'daily' then ${periodAt("daily", nowMs).name}
    when 'weekly' then ${periodAt("weekly", nowMs).name}
    when 'monthly' then ${periodAt("monthly", nowMs).name}
    else coalesce(projects.boards -> boards.board ->> 'period', '') end`

const decide = (
  { nowMs }: Batch,
  submits: ReadonlyArray<Submit>,
  rows: ReadonlyArray<MetRow>
): Decided => {
  const tried = submits.map((submit, n) => {
    const met = rows[n]
    const found = placed(submit, met?.declared ?? undefined, nowMs)
    // Without a row there is no project.
    return typeof found === "string" || met === undefined ? found : { ...found, met }
  })
  const known = tried.flatMap((each) => (typeof each !== "string" && "met" in each ? [each] : []))
  const before = bookOf(rows[0]?.rows ?? 0, known)
  let book = before
  const changed = new Map<string, MetSubmit>()
  const outcomes = tried.map((submit) => {
    if (typeof submit === "string") return SubmitOutcome.Refused({ why: submit })
    if (!("met" in submit)) return SubmitOutcome.Refused({ why: "boardUnknown" })
    const [next, outcome] = step(book, { ...submit, nowMs })
    book = next
    const at = entryKey(submit.series, submit)
    if (outcome._tag === "Taken" && outcome.changed) changed.set(at, submit)
    return outcome
  })
  return { outcomes, version: rows[0]?.version ?? 0, before, after: book, changed }
}

const bookOf = (rows: number, submits: ReadonlyArray<MetSubmit>): ScoreBook => {
  const entries = new Map<string, Entry>()
  const digests = new Set<string>()
  for (const { met, series, digest, ...submit } of submits) {
    if (met.key !== null && met.atMs !== null) {
      entries.set(entryKey(series, submit), { key: met.key, atMs: met.atMs })
    }
    if (met.counted && digest !== null) digests.add(digest)
  }
  return { rows, entries, digests }
}

const seriesMissing = ({ changed }: Decided): ReadonlyArray<MetSubmit> =>
  [...changed.values()].filter(({ met }) => met.seriesId === null)

/** Makes series that get their first score, each with its first step. Another runner may do the same. */
const makeSeries = ({ sql, projectId }: Batch, submits: ReadonlyArray<MetSubmit>) => {
  const wanted = submits.map(({ met, series }) => ({
    boardId: met.boardId,
    period: series.period.name,
    bucket: series.bucket,
    startsAtMs: series.period.startsAtMs
  }))
  return sql`
    with made as (
      insert into board_series (project_id, board_id, period, bucket, starts_at_ms)
      select distinct on (given."boardId", given.period, given.bucket)
        ${projectId}, given."boardId", given.period, given.bucket, given."startsAtMs"
      from json_to_recordset(${JSON.stringify(wanted)}::json)
          as given("boardId" bigint, period text, bucket text, "startsAtMs" bigint)
        join boards on boards.board_id = given."boardId" and not boards.removed
      on conflict (board_id, period, bucket) where not removed do nothing
      returning series_id
    )
    insert into score_steps (series_id, key, at_ms, player, scores)
    select series_id, ${Number.MIN_SAFE_INTEGER}::bigint, 0, '', 0 from made`
}

/** @returns whether it was written: false = another runner has written since the read */
const write = Effect.fnUntraced(function* (batch: Batch, decided: Decided) {
  const { before, after, changed } = decided
  const digests = [...after.digests].filter((digest) => !before.digests.has(digest))
  if (changed.size === 0 && digests.length === 0) return true
  const entries = [...changed].map(([at, { playerId, met }]) => ({
    seriesId: met.seriesId,
    playerId,
    ...after.entries.get(at),
    oldKey: before.entries.get(at)?.key ?? null,
    oldAtMs: before.entries.get(at)?.atMs ?? null
  }))
  const { version } = decided
  const counted = yield* writeRows(batch, { entries, digests, rows: after.rows, version })
  if (counted.length === 0) return false
  yield* balanceSteps(batch, counted)
  return true
})

interface WrittenRows {
  readonly entries: ReadonlyArray<object>
  readonly digests: ReadonlyArray<string>
  readonly rows: number
  readonly version: number
}

/**
 * Writes scores and ids, and moves the scores between the steps.
 * @returns the steps that count others now, or a row of nulls; no row = nothing was written
 */
const writeRows = (
  { sql, projectId, nowMs }: Batch,
  { entries, digests, rows, version }: WrittenRows
) => sql<CountedStep | { readonly seriesId: null }>`
  with turn as (
    update score_counts set version = version + 1, scores = ${rows}::bigint
    where project_id = ${projectId} and version = ${version}::bigint
    returning version
  ), given as (
    select entry.* from turn, json_to_recordset(${JSON.stringify(entries)}::json)
      as entry("seriesId" bigint, "playerId" text, key bigint, "atMs" bigint, "oldKey" bigint,
        "oldAtMs" bigint)
  ), written as (
    insert into scores (series_id, player, key, at_ms)
    select "seriesId", "playerId", key, "atMs" from given
    on conflict (series_id, player) do update set key = excluded.key, at_ms = excluded.at_ms
  ), counted as (
    insert into score_ids (project_id, digest, at_ms)
    select ${projectId}, digest, ${nowMs}::bigint
    from turn, json_array_elements_text(${JSON.stringify(digests)}::json) digest
    on conflict (project_id, digest) do update set at_ms = excluded.at_ms
  ), moved as (
    select "seriesId", "playerId", key, "atMs", 1 as scores from given
    union all
    select "seriesId", "playerId", "oldKey", "oldAtMs", -1 from given where "oldKey" is not null
  ), located as (
    select step.series_id, step.key, step.at_ms, step.player, sum(moved.scores) as scores
    from moved cross join lateral (
      select series_id, key, at_ms, player from score_steps
      where series_id = moved."seriesId"
        and (key, at_ms, player) <= (moved.key, moved."atMs", moved."playerId")
      order by key desc, at_ms desc, player desc limit 1
    ) step
    group by 1, 2, 3, 4 having sum(moved.scores) <> 0
  ), stepped as (
    update score_steps step set scores = step.scores + located.scores
    from located
    where step.series_id = located.series_id and step.key = located.key
      and step.at_ms = located.at_ms and step.player = located.player
    returning step.series_id, step.key, step.at_ms, step.player, step.scores
  )
  select stepped.series_id::double precision as "seriesId",
    stepped.key::double precision as key, stepped.at_ms::double precision as "atMs",
    stepped.player as "playerId", stepped.scores
  from turn left join stepped on true`
