import { BoardLimits } from "@atrium/domain/boards/BoardLimits"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

import type { NounTables } from "../store/NounTables.ts"
import { boardTable, digestTable, scoreTable, seriesTable } from "./MemoryBoards.ts"

/**
 * A board that is declared anew after it was removed, or with the other direction, is another board: its
 * row is a new one, and the scores of the old row are removed in parts. A trigger keeps the rows what the
 * projects declare, so that no deploy can forget it. `score_steps` counts the scores of a series in steps
 * of its order: a rank adds up the steps before it, and counts within one.
 */
const boards = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table boards (
    board_id bigint generated always as identity primary key,
    project_id text not null references projects,
    board text not null,
    direction text not null,
    removed boolean not null default false
  )`
  yield* sql`create unique index boards_declared on boards (project_id, board) where not removed`
  yield* sql`create index boards_removed on boards (board_id) where removed`
  yield* sql`create table board_series (
    series_id bigint generated always as identity primary key,
    project_id text not null references projects,
    board_id bigint not null references boards,
    period text not null,
    bucket text not null,
    starts_at_ms bigint not null,
    removed boolean not null default false
  )`
  yield* sql`create unique index board_series_kept on board_series (board_id, period, bucket)
    where not removed`
  yield* sql`create index board_series_by_board on board_series (board_id)`
  yield* sql`create index board_series_by_project on board_series (project_id)`
  yield* sql`create index board_series_removed on board_series (series_id) where removed`
  yield* sql`create table scores (
    series_id bigint not null,
    player text collate "C" not null,
    key bigint not null,
    at_ms bigint not null,
    primary key (series_id, player)
  )`
  yield* sql`create index scores_by_rank on scores (series_id, key, at_ms, player)`
  yield* sql`create table score_steps (
    series_id bigint not null,
    key bigint not null,
    at_ms bigint not null,
    player text collate "C" not null,
    scores integer not null,
    primary key (series_id, key, at_ms, player)
  )`
  yield* sql`create table score_ids (
    project_id text not null references projects,
    digest text collate "C" not null,
    at_ms bigint not null,
    primary key (project_id, digest)
  )`
  yield* sql`create index score_ids_by_age on score_ids (at_ms)`
  yield* sql`create table score_counts (
    project_id text primary key references projects,
    scores bigint not null,
    version bigint not null default 0
  )`
  yield* declaredBoards(sql)
  yield* scoresOfPlayers(sql)
})

const declaredBoards = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  yield* sql`create function keep_declared_boards() returns trigger language plpgsql as $$
    begin
      update boards set removed = true
        where project_id = new.project_id and not removed
          and (new.deleted_at_ms is not null
            or (new.boards -> board ->> 'direction') is distinct from direction);
      if new.deleted_at_ms is null and new.boards <> '{}' then
        insert into score_counts (project_id, scores) values (new.project_id, 0)
          on conflict do nothing;
        insert into boards (project_id, board, direction)
          select new.project_id, declared.key, declared.value ->> 'direction'
          from jsonb_each(new.boards) declared
          on conflict (project_id, board) where not removed do nothing;
      end if;
      return null;
    end $$`
  yield* sql`create trigger boards_declared after update on projects for each row
    when (old.boards is distinct from new.boards
      or old.deleted_at_ms is distinct from new.deleted_at_ms)
    execute function keep_declared_boards()`
  yield* sql`insert into score_counts (project_id, scores)
    select project_id, 0 from projects where deleted_at_ms is null and boards <> '{}'`
  yield* sql`insert into boards (project_id, board, direction)
    select project_id, declared.key, declared.value ->> 'direction'
    from projects, jsonb_each(boards) declared where deleted_at_ms is null`
})

/** A player's scores, for the export; to update the player's id moves them, with the steps that count them. */
const scoresOfPlayers = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  yield* sql`create view player_scores as
    select series.project_id, scores.player as player_id, boards.board, series.period,
      series.bucket, series.series_id, scores.key, scores.at_ms,
      case boards.direction when 'lower' then scores.key else 0 - scores.key end as score
    from board_series series
      join boards on boards.board_id = series.board_id
      join scores on scores.series_id = series.series_id`
  yield* sql`create function move_player_score() returns trigger language plpgsql as $$
    declare
      moved record;
    begin
      update score_counts set version = version + 1 where project_id = old.project_id;
      for moved in values (old.player_id, -1), (new.player_id, 1) loop
        update score_steps set scores = scores + moved.column2
          where series_id = old.series_id and (key, at_ms, player) = (
            select step.key, step.at_ms, step.player from score_steps step
            where step.series_id = old.series_id
              and (step.key, step.at_ms, step.player) <= (old.key, old.at_ms, moved.column1)
            order by step.key desc, step.at_ms desc, step.player desc limit 1);
      end loop;
      update scores set player = new.player_id
        where series_id = old.series_id and player = old.player_id;
      return new;
    end $$`
  yield* sql`create trigger player_score_moved instead of update on player_scores for each row
    execute function move_player_score()`
})

const scoreBytes = BoardLimits.boardScoreBytes.max
const ofSeries = { table: "board_series", column: "series_id" } as const
/** Steps and counts are of the scores: in memory they are counted. */
const counted = () => 0

/** Boards, their scores, and the ids that count once. */
export const boardTables: NounTables = {
  migrations: {
    "0024_boards": { oldest: 5, change: boards }
  },
  purge: [
    {
      table: "scores",
      through: ofSeries,
      memory: scoreTable.removal(({ projectId }) => projectId)
    },
    { table: "score_steps", through: ofSeries, memory: counted },
    {
      table: "board_series",
      where: "not exists (select 1 from scores where scores.series_id = board_series.series_id)",
      memory: seriesTable.removal(({ projectId }) => projectId)
    },
    {
      table: "boards",
      where:
        "not exists (select 1 from board_series series where series.board_id = boards.board_id)",
      memory: boardTable.removal(({ projectId }) => projectId)
    },
    { table: "score_ids", memory: digestTable.removal(({ projectId }) => projectId) },
    {
      table: "score_counts",
      memory: counted,
      stored: {
        bytes: `scores * ${scoreBytes}`,
        memory: scoreTable.sizes(({ projectId }) => ({ projectId, bytes: scoreBytes }))
      }
    }
  ],
  players: [
    {
      table: "player_scores",
      part: "scores",
      onDeletion: "move",
      shown: { board: "text", period: "text", bucket: "text", score: "number", at_ms: "moment" },
      order: ["board", "period", "bucket", "series_id"],
      memory: scoreTable.playerRows({
        player: ({ projectId, playerId }) => ({ projectId, playerId }),
        columns: ({ board, period, bucket, score, atMs }) => ({
          board,
          period,
          bucket,
          series_id: 0,
          score,
          at_ms: atMs
        }),
        moved: (row, { playerId }) => {
          const series = `${row.board} ${row.period} ${row.bucket}`
          return [`${row.projectId}/${series} ${playerId}`, { ...row, playerId }]
        }
      })
    }
  ]
}
