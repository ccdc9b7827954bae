import { AwakeRooms } from "@atrium/actors/rooms/AwakeRooms"
import { RoomStore } from "@atrium/actors/rooms/RoomStore"
import { noBytes } from "@atrium/actors/rooms/RoomTraffic"
import { answeredWithin } from "@atrium/actors/store/StoreAnswer"
import { isStoreAway } from "@atrium/actors/store/StoreFailure"
import { RoomStatuses } from "@atrium/domain/rooms/RoomsApi"
import { StoreLimits } from "@atrium/domain/store/StoreLimits"
import { Cause, Context, Effect, Layer, Metric } from "effect"

import { RoomRouter } from "../router/RoomRouter.ts"

const sockets = Metric.gauge("atrium_sockets", { description: "WebSockets that are open here" })
const rooms = Metric.gauge("atrium_rooms", { description: "Rooms with a row, by status" })
const awake = Metric.gauge("atrium_rooms_awake", { description: "Rooms that are awake here" })
const clients = Metric.gauge("atrium_clients", { description: "Clients in the rooms here" })
const ingress = Metric.counter("atrium_ingress_bytes_total", {
  description: "Bytes from clients of rooms",
  incremental: true
})
const egress = Metric.counter("atrium_egress_bytes_total", {
  description: "Bytes to clients of rooms",
  incremental: true
})
const limited = Metric.counter("atrium_limited_total", {
  description: "Refusals by the limits of connections, joins and new rooms, by limit",
  incremental: true
})
const resident = Metric.gauge("atrium_resident_bytes", {
  description: "Memory of the service's own process"
})

/** Gauges that are read when somebody asks, so that nobody pays for them otherwise. */
export class ServiceMetrics extends Context.Service<
  ServiceMetrics,
  { readonly measure: Effect.Effect<void> }
>()("@atrium/api/metrics/ServiceMetrics") {
  static readonly layer = Layer.effect(
    ServiceMetrics,
    Effect.gen(function* () {
      const router = yield* RoomRouter
      const awakeRooms = yield* AwakeRooms
      const store = yield* RoomStore
      let counted = noBytes
      const refused = new Map<string, number>()
      const measure = Effect.gen(function* () {
        const here = awakeRooms.all()
        const before = counted
        counted = awakeRooms.traffic.all(here)
        yield* Metric.update(ingress, counted.ingressBytes - before.ingressBytes)
        yield* Metric.update(egress, counted.egressBytes - before.egressBytes)
        yield* Metric.update(sockets, router.sockets())
        yield* countRefusals
        yield* Metric.update(awake, here.length)
        yield* Metric.update(
          clients,
          here.reduce((sum, room) => sum + room.gate.connections, 0)
        )
        yield* Metric.update(resident, process.memoryUsage.rss())
        // While the store is away the last count stands; atrium_store_up tells that it is old.
        yield* countRows.pipe(
          answeredWithin(StoreLimits.readyAnswer.ms),
          Effect.catchCause((cause) =>
            isStoreAway(cause) || Cause.isTimeoutError(Cause.squash(cause))
              ? Effect.void
              : Effect.orDie(Effect.failCause(cause))
          )
        )
      })
      const countRefusals = Effect.suspend(() =>
        Effect.forEach(Object.entries(router.refusals()), ([limit, count]: [string, number]) => {
          const more = count - (refused.get(limit) ?? 0)
          refused.set(limit, count)
          return Metric.update(Metric.withAttributes(limited, { limit }), more)
        })
      )
      const countRows = Effect.gen(function* () {
        const counts = new Map((yield* store.countByStatus).map((row) => [row.status, row.rooms]))
        for (const status of RoomStatuses) {
          yield* Metric.update(Metric.withAttributes(rooms, { status }), counts.get(status) ?? 0)
        }
      })
      return { measure }
    })
  )
}
