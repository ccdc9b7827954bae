import { AwakeRooms } from "@atrium/actors/room/AwakeRooms"
import { RoomStatuses } from "@atrium/domain/http/RoomsApi"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"

import { type Hooks, verb } from "./Hook.ts"
import type { LiveWork } from "./LiveWork.ts"
import type { Traffic } from "./Traffic.ts"

/** What an operator may watch, of one project. Spec: Observability. */
export const makeMetricsHooks = Effect.fnUntraced(function* (work: LiveWork, traffic: Traffic) {
  const awake = yield* AwakeRooms
  const sql = yield* SqlClient.SqlClient
  const hooks: Hooks = {
    "metrics/read": verb(Schema.Struct({ project: Schema.NonEmptyString }), ({ project }) =>
      Effect.gen(function* () {
        const rows = yield* Effect.orDie(sql<{ readonly status: string; readonly rooms: bigint }>`
          select status, count(*) as rooms from rooms
          where project_id = ${project} and not pruned group by status`)
        const counted = new Map(rows.map(({ status, rooms }) => [status, Number(rooms)]))
        const here = awake.all().filter(({ key }) => key.projectId === project)
        traffic.look(awake.all())
        return {
          sockets: here.reduce((total, { gate }) => total + gate.clients, 0),
          roomsByState: Object.fromEntries(
            RoomStatuses.map((status) => [status, counted.get(status) ?? 0])
          ),
          ...traffic.of(project),
          rss: process.memoryUsage.rss(),
          storageListings: work.listings(project),
          serverStarts: work.serverStarts(project)
        }
      })
    )
  }
  return hooks
})
