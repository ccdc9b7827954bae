import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"

import { audited } from "../audit/Audited.ts"
import { LoginRequired } from "../http/Credential.ts"
import { Moment } from "../http/Moment.ts"
import { NoQuery } from "../http/NoQuery.ts"
import { onWire } from "../http/onWire.ts"
import { roomParts, runnerPart } from "../http/PathParts.ts"
import { NotFound, RoomNotFound, TenantWaking } from "../shared/Refusal.ts"
import { RunnerOrders, RunnerStatuses } from "./RunnerStatus.ts"

/** A runner of the service, as it reported itself last. */
export const Runner = Schema.Struct({
  runner: runnerPart.runner,
  status: Schema.Literals(RunnerStatuses),
  version: Schema.String,
  startedAt: Moment,
  heardAt: Moment,
  rooms: Schema.Int,
  clients: Schema.Int,
  load: Schema.Int,
  freeBytes: Schema.NullOr(Schema.Int)
}).annotate({
  identifier: "Runner",
  description:
    "A runner as it reported itself last. `load`: the shares of its awake rooms, 120 of which fill one server. `freeBytes` `null` = its system does not say."
})
export type Runner = typeof Runner.Type

/** The runners of the service: for the login of its operator alone. Source: D-40, C-432. */
export class FleetApi extends HttpApiGroup.make("fleet")
  .annotateMerge(
    OpenApi.annotations({
      title: "Fleet",
      description:
        "The runners of the service. The account that the first start made reaches them; to any other login they are not there."
    })
  )
  .add(
    HttpApiEndpoint.get("list", "/v1/fleet", {
      query: NoQuery,
      success: Schema.Array(Runner),
      error: onWire(NotFound)
    }).annotate(OpenApi.Summary, "Lists the runners of the service."),
    HttpApiEndpoint.patch("order", "/v1/fleet/:runner", {
      params: runnerPart,
      query: NoQuery,
      payload: Schema.Struct({ order: Schema.Literals(RunnerOrders) }),
      success: Runner,
      error: onWire(NotFound)
    })
      .annotate(OpenApi.Summary, "Cordons a runner, drains it, or opens it again.")
      .annotateMerge(audited("runner.order", "runner")),
    HttpApiEndpoint.post("move", "/v1/fleet/rooms/:id/:roomId/move", {
      params: roomParts,
      query: NoQuery,
      payload: Schema.Struct({ runner: Schema.NullOr(runnerPart.runner) }),
      success: Schema.Struct({ runner: runnerPart.runner }),
      error: [onWire(NotFound), onWire(RoomNotFound), onWire(TenantWaking)]
    })
      .annotate(
        OpenApi.Summary,
        "Moves a room to a runner, or to the one with the least load (`null`); its clients stay connected."
      )
      .annotateMerge(audited("room.move", "roomId"))
  )
  .middleware(LoginRequired) {}
