import { Schema } from "effect"

/** One room type of a deployment: what its schema declares, and the schema's descriptor itself. */
export const DeployedType = Schema.Struct({
  type: Schema.String,
  class: Schema.Literals(["standard", "large", "xlarge"]),
  maxClients: Schema.Int,
  tickHz: Schema.Number,
  hibernateAfterMs: Schema.Int,
  reconnectForMs: Schema.Int,
  retention: Schema.NullOr(Schema.String),
  /** The queue of quick match that the type plays; absent = none. Source: D-54. */
  queue: Schema.optionalKey(Schema.String),
  /** How much its rooms record of themselves; absent = nothing. Source: D-44. */
  replay: Schema.optionalKey(Schema.Struct({ seconds: Schema.Int, ttl: Schema.String })),
  /** The world of its rooms; absent = they have none. */
  physics: Schema.optionalKey(
    Schema.Struct({
      dimensions: Schema.Literals([2, 3]),
      history: Schema.Int,
      /** The library that its bundle has, and its version. */
      engine: Schema.optionalKey(Schema.String)
    })
  ),
  /** Its rooms share processes; absent = each has its own. Source: D-55. */
  sharing: Schema.optionalKey(Schema.Literal(true)),
  schemaHash: Schema.String,
  schema: Schema.Json,
  /** What its rooms store beside the state that clients know; absent = nothing. No client gets any of it. */
  hidden: Schema.optionalKey(
    Schema.Struct({
      singletons: Schema.Array(Schema.Json),
      entities: Schema.Array(Schema.Json),
      /** Of all that is stored. */
      schemaHash: Schema.String
    })
  )
})
export type DeployedType = typeof DeployedType.Type
