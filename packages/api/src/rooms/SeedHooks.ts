import { ProjectStore } from "@atrium/actors/projects/ProjectStore"
import { Clock, Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"

import { HookRefused, type Hooks, verb } from "../control/Hook.ts"

/** More than any limit counts to. */
const rowsMax = 2_000_000

const Seed = Schema.Struct({
  project: Schema.NonEmptyString,
  /** The rows that are made: so far only players with stored fields. */
  counter: Schema.Literals(["players"]),
  count: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: rowsMax }))
})

/** Rows that nobody wrote one by one: limits that count to thousands are reached in one step. */
export const hooks = Effect.gen(function* () {
  const projects = yield* ProjectStore
  const sql = yield* SqlClient.SqlClient
  const verbs: Hooks = {
    seed: verb(Seed, ({ project, counter, count }) =>
      Effect.gen(function* () {
        const row = Option.getOrNull(yield* projects.find(project))
        if (row === null) {
          return yield* new HookRefused({ message: "project: no project has that id" })
        }
        const nowMs = yield* Clock.currentTimeMillis
        yield* Effect.orDie(sql`
          insert into players (project_id, player_id, fields, written_at_ms)
          select ${row.projectId}, 'seed-' || n, '', ${nowMs}
          from generate_series(1, ${count}::integer) as n
          on conflict do nothing`)
        return { counter, count }
      })
    )
  }
  return verbs
})
