import { connect } from "node:net"

import { EndedRunners } from "@atrium/actors/cluster/LeasedLocks"
import { RunnerEnds } from "@atrium/actors/cluster/RunnerEnds"
import { hostPortOf } from "@atrium/domain/shared/HostPort"
import { StoreLimits } from "@atrium/domain/store/StoreLimits"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

const decodeRows = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({ address: Schema.String, connected: Schema.Boolean, beat: Schema.Number })
  )
)

/** Runners that the database has lost sight of, as each look at the table of runners asks for them. */
export const endedRunners = Layer.effect(
  EndedRunners,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const ends = new RunnerEnds()
    const seen = sql`select r.address, bool_or(a.pid is not null) as connected,
        extract(epoch from max(r.last_heartbeat))::float8 as beat
      from cluster_runners r join runners s on s.runner = r.address
      left join pg_stat_activity a on a.application_name = s.session
      group by r.address`.pipe(Effect.flatMap(decodeRows))
    return seen.pipe(
      Effect.flatMap((runners) => Effect.forEach(runners, withRefusal, { concurrency: 10 })),
      Effect.map((runners) => ends.look(runners, performance.now())),
      // The look at the table of runners fails with the same store, and says so.
      Effect.catchCause(() => Effect.succeed(new Set<string>()))
    )
  })
)

interface Row {
  readonly address: string
  readonly connected: boolean
  readonly beat: number
}

const withRefusal = (row: Row) =>
  Effect.map(row.connected ? Effect.succeed(false) : refuses(row.address), (refused) => ({
    ...row,
    refused
  }))

/** Whether nobody listens at the address: its process has ended. */
const refuses = (address: string): Effect.Effect<boolean> =>
  Effect.callback<boolean>((resume) => {
    const socket = connect(hostPortOf(address))
    const answer = (refused: boolean): void => {
      socket.destroy()
      resume(Effect.succeed(refused))
    }
    socket.once("connect", () => answer(false))
    socket.on("error", (error) => answer(Object(error).code === "ECONNREFUSED"))
    return Effect.sync(() => void socket.destroy())
  }).pipe(
    Effect.timeoutOrElse({
      duration: StoreLimits.runnerRefusal.ms,
      orElse: () => Effect.succeed(false)
    })
  )
