import { Links } from "@atrium/actors/link/Links"
import { Presence } from "@atrium/actors/presence/Presence"
import { AwakeRooms } from "@atrium/actors/rooms/AwakeRooms"
import { RoomStore } from "@atrium/actors/rooms/RoomStore"
import { answeredWithin } from "@atrium/actors/store/StoreAnswer"
import { isStoreAway } from "@atrium/actors/store/StoreFailure"
import { RoomStatuses } from "@atrium/domain/rooms/RoomsApi"
import { StoreLimits } from "@atrium/domain/store/StoreLimits"
import { Cause, Context, Effect, Layer, Metric } from "effect"

import { type DoorRefusals } from "../router/RoomDoor.ts"
import { RoomRouter } from "../router/RoomRouter.ts"
import { StoreConnections } from "../start/StoreConnections.ts"
import { linkRows } from "./LinkRows.ts"
import { processMetrics } from "./ProcessMetrics.ts"
import { type ReadMetric, readMetrics } from "./ReadMetrics.ts"

const rooms = Metric.gauge("atrium_rooms", { description: "Rooms with a row, by status" })

const limits = ["connections", "handshakes", "joins", "rooms"] as const satisfies ReadonlyArray<
  keyof DoorRefusals
>

/**
 * The metrics of this runner. All but one are read when somebody looks; `measure` asks the store for
 * the one that is not, the rooms of all runners by status.
 */
export class ServiceMetrics extends Context.Service<
  ServiceMetrics,
  { readonly measure: Effect.Effect<void> }
>()("@atrium/api/metrics/ServiceMetrics") {
  static readonly layer = Layer.effect(
    ServiceMetrics,
    Effect.gen(function* () {
      const store = yield* RoomStore
      yield* processMetrics
      yield* readMetrics(storeRows(yield* StoreConnections))
      yield* readMetrics(roomRows(yield* AwakeRooms))
      yield* readMetrics(routerRows(yield* RoomRouter))
      yield* readMetrics(linkRows(yield* Links))
      yield* readMetrics(presenceRows(yield* Presence))
      const countRows = Effect.gen(function* () {
        const counts = new Map((yield* store.countByStatus).map((row) => [row.status, row.rooms]))
        for (const status of RoomStatuses) {
          yield* Metric.update(Metric.withAttributes(rooms, { status }), counts.get(status) ?? 0)
        }
      })
      return {
        // While the store is away the last count stands; atrium_store_up tells that it is old.
        measure: countRows.pipe(
          answeredWithin(StoreLimits.readyAnswer.ms),
          Effect.catchCause((cause) =>
            isStoreAway(cause) || Cause.isTimeoutError(Cause.squash(cause))
              ? Effect.void
              : Effect.orDie(Effect.failCause(cause))
          )
        )
      }
    })
  )
}

const storeRows = (connections: StoreConnections["Service"]): ReadonlyArray<ReadMetric> => [
  {
    kind: "gauge",
    name: "atrium_store_connections_max",
    says: "Connections to the database that this runner may have",
    read: () => connections.max
  },
  {
    kind: "gauge",
    name: "atrium_store_connections_used",
    says: "Connections to the database that statements and transactions hold",
    read: () => connections.used
  },
  {
    kind: "gauge",
    name: "atrium_store_connections_waiting",
    says: "Statements and transactions that wait for a connection to the database",
    read: () => connections.waiting
  }
]

const roomRows = (awake: AwakeRooms["Service"]): ReadonlyArray<ReadMetric> => [
  {
    kind: "gauge",
    name: "atrium_rooms_awake",
    says: "Rooms that are awake here",
    read: () => awake.all().length
  },
  {
    kind: "gauge",
    name: "atrium_clients",
    says: "Clients in the rooms here",
    read: () => awake.all().reduce((sum, { gate }) => sum + gate.connections, 0)
  },
  {
    kind: "counter",
    name: "atrium_ingress_bytes_total",
    says: "Bytes from clients of rooms",
    read: () => awake.traffic.all(awake.all()).ingressBytes
  },
  {
    kind: "counter",
    name: "atrium_egress_bytes_total",
    says: "Bytes to clients of rooms",
    read: () => awake.traffic.all(awake.all()).egressBytes
  }
]

const presenceRows = ({ waiting }: Presence["Service"]): ReadonlyArray<ReadMetric> => [
  {
    kind: "gauge",
    name: "atrium_presence_watches",
    says: "Watches of presence that wait here",
    read: waiting
  }
]

const routerRows = ({
  sockets,
  refusals,
  figures
}: RoomRouter["Service"]): ReadonlyArray<ReadMetric> => [
  {
    kind: "gauge",
    name: "atrium_sockets",
    says: "WebSockets that are open here",
    read: () => sockets()
  },
  ...limits.map((limit) => ({
    kind: "counter" as const,
    name: "atrium_limited_total",
    says: "Refusals by the limits of connections, joins and new rooms, by limit",
    labels: { limit },
    read: () => refusals()[limit]
  })),
  {
    kind: "counter",
    name: "atrium_frames_in_total",
    says: "Frames from clients",
    read: () => figures.framesIn
  },
  {
    kind: "counter",
    name: "atrium_frames_out_total",
    says: "Frames to clients",
    read: () => figures.framesOut
  },
  ...figures.joins.map(({ outcome, read }) => ({
    kind: "counter" as const,
    name: "atrium_joins_total",
    says: "Joins that ended, by outcome: welcomed, left, or the code of the refusal",
    labels: { outcome },
    read
  })),
  {
    kind: "histogram",
    name: "atrium_join_seconds",
    says: "Time from a client's hello to its welcome",
    read: () => figures.joinSeconds.state
  },
  ...figures.closes.map(({ code, by, read }) => ({
    kind: "counter" as const,
    name: "atrium_closes_total",
    says: "WebSockets that were closed, by code and by who closed",
    labels: { code, by },
    read
  }))
]
