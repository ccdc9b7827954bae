import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"

import { audited } from "../audit/Audited.ts"
import { LoginRequired } from "../http/Credential.ts"
import { Moment } from "../http/Moment.ts"
import { NoQuery } from "../http/NoQuery.ts"
import { onWire } from "../http/onWire.ts"
import { BadRequest, NotFound } from "../shared/Refusal.ts"
import { ObjectPlaces } from "./ObjectPlace.ts"

const Held = Schema.Struct({ objects: Schema.Int, bytes: Schema.Int })

const ObjectOrders = ["to-s3", "to-postgres", "stop"] as const
export type ObjectOrder = (typeof ObjectOrders)[number]

/** Where the bytes of objects are, and how far a move has come. */
export const ObjectsState = Schema.Struct({
  place: Schema.Literals(ObjectPlaces),
  s3Url: Schema.NullOr(Schema.String),
  postgres: Held,
  s3: Held,
  garbage: Schema.Int,
  move: Schema.NullOr(
    Schema.Struct({
      status: Schema.Literals(["running", "stopped", "done"]),
      moved: Held,
      failed: Schema.Int,
      orderedAt: Moment,
      endedAt: Schema.NullOr(Moment)
    })
  )
}).annotate({
  identifier: "ObjectsState",
  description:
    "`place`: where new bytes go. Small objects stay in PostgreSQL in any case. `s3Url` `null` = this runner has no S3. `garbage`: names in the S3 that a sweep has yet to look at. `move` `null` = none was ordered."
})
export type ObjectsState = typeof ObjectsState.Type

/** The place of stored objects: for the login of the operator alone. Source: C-469. */
export class ObjectsApi extends HttpApiGroup.make("objects")
  .annotateMerge(
    OpenApi.annotations({
      title: "Objects",
      description:
        "Where the bytes of snapshots, saves, bundles and files of sites are. The account that the first start made reaches it; to any other login it is not there."
    })
  )
  .add(
    HttpApiEndpoint.get("state", "/v1/objects", {
      query: NoQuery,
      success: ObjectsState,
      error: onWire(NotFound)
    }).annotate(OpenApi.Summary, "Shows where the bytes of objects are."),
    HttpApiEndpoint.patch("order", "/v1/objects", {
      query: NoQuery,
      payload: Schema.Struct({ move: Schema.Literals(ObjectOrders) }),
      success: ObjectsState,
      error: [onWire(NotFound), onWire(BadRequest)]
    })
      .annotate(OpenApi.Summary, "Moves the bytes of objects, or stops a move.")
      .annotateMerge(audited("objects.order"))
  )
  .middleware(LoginRequired) {}
