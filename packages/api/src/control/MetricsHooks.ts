import { AwakeRooms } from "@atrium/actors/room/AwakeRooms"
import { RoomStatuses } from "@atrium/domain/http/RoomsApi"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"

import { type Hooks, verb } from "./Hook.ts"
import type { LiveWork } from "./LiveWork.ts"

/** What an operator may watch, of one project. Spec: Observability. */
export const makeMetricsHooks = Effect.fnUntraced(function* (work: LiveWork) {
  const awake = yield* AwakeRooms
  const sql = yield* SqlClient.SqlClient
  const hooks: Hooks = {
    "metrics/read": verb(Schema.Struct({ project: Schema.NonEmptyString }), ({ project }) =>
      Effect.gen(function* () {
        const rows = yield* Effect.orDie(sql<{ readonly status: string; readonly rooms: bigint }>`
          select status, count(*) as rooms from rooms
          where project_id = ${project} and not pruned group by status`)
        const counted = new Map(rows.map(({ status, rooms }) => [status, Number(rooms)]))
        const gates = awake
          .all()
          .filter(({ key }) => key.projectId === project)
          .map(({ gate }) => gate)
        const sum = (of: (gate: (typeof gates)[number]) => number): number =>
          gates.reduce((total, gate) => total + of(gate), 0)
        return {
          sockets: sum(({ clients }) => clients),
          roomsByState: Object.fromEntries(
            RoomStatuses.map((status) => [status, counted.get(status) ?? 0])
          ),
          ingressBytes: sum(({ ingressBytes }) => ingressBytes),
          egressBytes: sum(({ egressBytes }) => egressBytes),
          rss: process.memoryUsage.rss(),
          storageListings: work.listings(project),
          serverStarts: work.serverStarts(project)
        }
      })
    )
  }
  return hooks
})
