import { wallText } from "@atrium/domain/meters/Caps"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { CapReached } from "@atrium/domain/shared/Refusal"
import { afterIdle, type Rating, startingRating } from "@atrium/wire/ratings/Glicko"
import { RatingLimits } from "@atrium/wire/ratings/RatingLimits"
import { RoomRefusals } from "@atrium/wire/rooms/RoomRefusal"
import { Clock, Context, Data, Effect, Exit, FiberSet, Layer } from "effect"
import { SqlClient } from "effect/sql"

import { CapWalls } from "../meters/CapWalls.ts"
import { Batches } from "../store/Batches.ts"
import { atNow, MemoryDatabase } from "../store/MemoryDatabase.ts"
import { memoryRatings } from "./MemoryRatings.ts"
import {
  movedBy,
  type RatingReport,
  type RatingsByPlayer,
  type TakenReport
} from "./RatingReport.ts"

/** The project has all the rating rows that it may have. Nothing of the report is stored. */
export class RatingsFull extends Data.TaggedError(RoomRefusals.ratingsFull.code) {
  override get message(): string {
    return `the project has ${RatingLimits.ratings.max} ratings; none of the report was stored`
  }
}

/** Skill ratings of players, by project and queue. A failing store is a defect. Spec: Skill rating limits. */
export class RatingStore extends Context.Service<
  RatingStore,
  {
    /** As they are believed now: the deviation has grown since the last report. */
    of(
      projectId: string,
      queue: string,
      playerIds: ReadonlyArray<string>
    ): Effect.Effect<RatingsByPlayer>
    /** Moves the ratings of all players of the report, or of none. Source: C-593, C-596. */
    report(report: RatingReport): Effect.Effect<TakenReport, RatingsFull | CapReached>
    /** Forgets some of the report ids that are kept no longer. @returns how many */
    removeOld: Effect.Effect<number>
  }
>()("@atrium/actors/ratings/RatingStore") {
  static readonly layerSql = Layer.effect(
    RatingStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const report = yield* reportingTo(sql, yield* CapWalls)

      const of = Effect.fn("RatingStore.of")(function* (
        projectId: string,
        queue: string,
        playerIds: ReadonlyArray<string>
      ) {
        if (playerIds.length === 0) return new Map()
        const nowMs = yield* Clock.currentTimeMillis
        const rows = yield* Effect.orDie(sql<RatingRow>`
          select player_id, rating, deviation, rated_at_ms from ratings
          where project_id = ${projectId} and queue = ${queue}
            and player_id = any(array(
              select json_array_elements_text(${JSON.stringify(playerIds)}::json)))`)
        return new Map(rows.map((row) => [row.player_id, believed(row, nowMs)]))
      })

      const removeOld = Effect.gen(function* () {
        const untilMs = (yield* Clock.currentTimeMillis) - RatingLimits.ratingReportKept.ms
        const removed = yield* Effect.orDie(sql`
          delete from rating_reports where (project_id, room_id, report_id) in (
            select project_id, room_id, report_id from rating_reports
            where at_ms <= ${untilMs} limit ${RatingLimits.ratingSweepBatch.max}
          ) returning 1`)
        return removed.length
      }).pipe(Effect.withSpan("RatingStore.removeOld"))

      return {
        of,
        report: Effect.fn("RatingStore.report")(function* (taken) {
          const moved = yield* report(taken)
          if (moved !== null) return { counted: true, ratings: moved }
          const { projectId, queue, results } = taken
          const players = results.map(({ player }) => player)
          return { counted: false, ratings: yield* of(projectId, queue, players) }
        }),
        removeOld
      }
    })
  )

  static readonly layerMemory = Layer.effect(
    RatingStore,
    Effect.gen(function* () {
      const { tables, ask } = yield* MemoryDatabase
      const walls = yield* CapWalls
      const ratings = memoryRatings(tables)
      const now = atNow({ ask })
      return {
        of: (projectId, queue, playerIds) =>
          now("RatingStore.of", (nowMs) => ratings.of({ projectId, queue }, playerIds, nowMs)),
        report: Effect.fnUntraced(function* (report) {
          const wall = yield* walls.of(report.projectId, ["storageBytes"])
          const most = wall === null ? RatingLimits.ratings.max : 0
          const taken = yield* now("RatingStore.report", (nowMs) =>
            ratings.report(report, { nowMs, most })
          )
          if (taken !== null) return taken
          return yield* wall === null
            ? new RatingsFull()
            : new CapReached({ message: wallText(wall) })
        }),
        removeOld: now("RatingStore.removeOld", ratings.removeOld)
      }
    })
  )
}

interface RatingRow {
  readonly player_id: string
  readonly rating: number
  readonly deviation: number
  readonly rated_at_ms: bigint
}

const believed = (row: RatingRow, nowMs: number): Rating =>
  afterIdle(row, nowMs - Number(row.rated_at_ms))

/** What a transaction makes of reports: the ratings after each; `null` = its id was reported before. */
type Moved = ReadonlyArray<RatingsByPlayer | null>
type Refused = RatingsFull | CapReached

/**
 * Reports of a project that come together are one transaction. If one of them may not add ratings, none of
 * the transaction is stored, and each is taken by itself.
 */
const reportingTo = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  walls: CapWalls["Service"]
) {
  const take = takingIn(sql, walls)
  const alone = (projectId: ProjectId, report: RatingReport) =>
    Effect.map(
      Effect.exit(take(projectId, [report])),
      Exit.map(([moved = null]) => moved)
    )
  const batches = new Batches<ProjectId, RatingReport, Exit.Exit<RatingsByPlayer | null, Refused>>({
    most: RatingLimits.ratingBatch.max,
    run: yield* FiberSet.makeRuntime<never>(),
    nameOf: ({ roomId, reportId }) => `${roomId}/${reportId}`,
    perform: (projectId, reports) =>
      Effect.catch(
        Effect.map(take(projectId, reports), (moved) => moved.map((each) => Exit.succeed(each))),
        () => Effect.forEach(reports, (report) => alone(projectId, report))
      )
  })
  return (report: RatingReport) => Effect.flatten(batches.ask(report.projectId, report))
})

/**
 * One transaction. It waits for others at the ids of the reports, then at its rows, which it adds and locks
 * in the order of the player ids, and last at the count of the project: no two wait for each other in a ring.
 */
const takingIn = (sql: SqlClient.SqlClient, walls: CapWalls["Service"]) => {
  /** Adds and locks the rows of the players of reports whose ids are new. */
  const enter = (projectId: ProjectId, reports: ReadonlyArray<RatingReport>, nowMs: number) => {
    const given = reports.map(({ roomId, reportId, queue, results }, n) => ({
      n,
      room: roomId,
      id: reportId,
      queue,
      players: results.map(({ player }) => player)
    }))
    // An update that changes nothing: it returns rows that are there, and locks them in this order.
    return sql<EnteredRow>`
      with given as materialized (
        select * from json_to_recordset(${JSON.stringify(given)}::json)
          as given(n integer, room text, id text, queue text, players json)
      ), entered as (
        insert into rating_reports (project_id, room_id, report_id, at_ms)
        select ${projectId}, room, id, ${nowMs}::bigint from given order by room, id
        on conflict do nothing returning room_id, report_id
      ), locked as (
        insert into ratings as known
          (project_id, queue, player_id, rating, deviation, rated_at_ms)
        select distinct ${projectId}, given.queue, player collate "C",
          ${startingRating.rating}::double precision,
          ${startingRating.deviation}::double precision, ${nowMs}::bigint
        from given
          join entered on entered.room_id = given.room and entered.report_id = given.id,
          json_array_elements_text(given.players) player
        order by 3, 2
        on conflict (project_id, player_id, queue) do update set rating = known.rating
        returning queue, player_id, rating, deviation, rated_at_ms, xmax = 0 as added
      )
      select locked.*, (
        select json_agg(given.n) from given
          join entered on entered.room_id = given.room and entered.report_id = given.id
      ) as counted
      from locked`
  }

  const countNew = Effect.fnUntraced(function* (projectId: ProjectId, added: number) {
    if (added === 0) return
    const wall = yield* walls.of(projectId, ["storageBytes"])
    if (wall !== null) return yield* new CapReached({ message: wallText(wall) })
    const counted = yield* sql`
      insert into rating_counts as known (project_id, ratings) values (${projectId}, ${added})
      on conflict (project_id) do update set ratings = known.ratings + excluded.ratings
        where known.ratings + excluded.ratings <= ${RatingLimits.ratings.max}
      returning 1`
    if (counted.length === 0) return yield* new RatingsFull()
  })

  const write = (projectId: ProjectId, after: ReadonlyArray<object>, nowMs: number) => sql`
    update ratings set rating = given.rating, deviation = given.deviation, rated_at_ms = ${nowMs}
    from json_to_recordset(${JSON.stringify(after)}::json)
      as given(queue text, player text, rating double precision, deviation double precision)
    where project_id = ${projectId} and ratings.queue = given.queue and player_id = given.player`

  return Effect.fnUntraced(function* (projectId: ProjectId, reports: ReadonlyArray<RatingReport>) {
    const nowMs = yield* Clock.currentTimeMillis
    const taking = Effect.gen(function* () {
      const rows = yield* enter(projectId, reports, nowMs)
      yield* countNew(projectId, rows.filter(({ added }) => added).length)
      const counted = new Set(rows[0]?.counted)
      const { moved, after } = movedByAll(
        reports.map((report, n) => (counted.has(n) ? report : null)),
        new Map(rows.map((row) => [`${row.queue}/${row.player_id}`, believed(row, nowMs)]))
      )
      if (after.length > 0) yield* write(projectId, after, nowMs)
      return moved
    })
    return yield* sql.withTransaction(taking).pipe(Effect.catchTag("SqlError", Effect.die))
  })
}

interface EnteredRow extends RatingRow {
  readonly queue: string
  readonly added: boolean
  /** The places of the reports whose ids are new. */
  readonly counted: ReadonlyArray<number>
}

/** Moves the ratings by one report after the other. @param before of the players, by queue and player */
const movedByAll = (
  reports: ReadonlyArray<RatingReport | null>,
  before: ReadonlyMap<string, Rating>
): { readonly moved: Moved; readonly after: ReadonlyArray<object> } => {
  const ratings = new Map(before)
  const after = new Map<string, object>()
  const moved = reports.map((report) => {
    if (report === null) return null
    const { queue, results } = report
    const own = new Map(
      results.flatMap(({ player }) => {
        const rating = ratings.get(`${queue}/${player}`)
        return rating === undefined ? [] : [[player, rating] as const]
      })
    )
    const next = movedBy(report, own)
    for (const [player, rating] of next) {
      ratings.set(`${queue}/${player}`, rating)
      after.set(`${queue}/${player}`, { queue, player, ...rating })
    }
    return next
  })
  return { moved, after: [...after.values()] }
}
