import { Schema } from "effect"

/** What is tested, where, and what it says that it can do: `conformance.config.json`. */
export const Config = Schema.Struct({
  /** Name of the implementation, for the reports. */
  name: Schema.String,
  baseUrl: Schema.String,
  /** Default: `baseUrl` with ws or wss. */
  routerUrl: Schema.optionalKey(Schema.String),
  /** Two accounts: their login credentials. Each may make projects. */
  accounts: Schema.Tuple([Schema.String, Schema.String]),
  /** What it declares to have. What is absent here is off. */
  features: Schema.Array(Schema.String),
  control: Schema.optionalKey(Schema.Struct({ url: Schema.String, token: Schema.String })),
  /** The header by which the service learns a synthetic client address. */
  addressHeader: Schema.optionalKey(Schema.String),
  cli: Schema.optionalKey(
    Schema.Struct({
      argv: Schema.NonEmptyArray(Schema.String),
      /** Environment in which it is logged in to the service as account 0. */
      loggedInEnv: Schema.Record(Schema.String, Schema.String)
    })
  ),
  /** A program that speaks the adapter protocol on stdin and stdout: fixtures and schemas. */
  adapter: Schema.optionalKey(Schema.Struct({ argv: Schema.NonEmptyArray(Schema.String) })),
  /** A module that exports codecs: see `Codecs`. */
  codecs: Schema.optionalKey(Schema.String)
})
export type Config = typeof Config.Type
