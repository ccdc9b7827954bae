import { Schema } from "effect"

/** The implementation under test, its address and its declarations: `conformance.config.json`. */
export const Config = Schema.Struct({
  /** Name of the implementation, for the reports. */
  name: Schema.String,
  baseUrl: Schema.String,
  /** Default: `baseUrl` with ws or wss. */
  routerUrl: Schema.optionalKey(Schema.String),
  /** Two accounts: their login credentials. Each may make projects. */
  accounts: Schema.Tuple([Schema.String, Schema.String]),
  /** The features that it declares to have. A feature that is absent here is off. */
  features: Schema.Array(Schema.String),
  control: Schema.optionalKey(
    Schema.Struct({
      url: Schema.String,
      /** Better in the environment: CONFORMANCE_CONTROL_TOKEN. */
      token: Schema.String,
      /** Hooks that must be there. Default: those that the listener names. */
      hooks: Schema.optionalKey(Schema.Array(Schema.String))
    })
  ),
  /** The header by which the service learns a synthetic client address. */
  addressHeader: Schema.optionalKey(Schema.String),
  cli: Schema.optionalKey(
    Schema.Struct({
      argv: Schema.NonEmptyArray(Schema.String),
      /** Environment in which it is logged in to the service as account 0. */
      loggedInEnv: Schema.Record(Schema.String, Schema.String),
      /** Environment of every run: what makes it start sooner, for instance. */
      env: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
      /** Flags with which a command that asks a person first does not ask. */
      confirm: Schema.optionalKey(Schema.Array(Schema.String)),
      /** Flags of `init` that choose static hosting, and that decline it. */
      initStatic: Schema.optionalKey(
        Schema.Struct({ yes: Schema.Array(Schema.String), no: Schema.Array(Schema.String) })
      ),
      /** Arguments with which `simulate` does something, and ends by itself. */
      simulate: Schema.optionalKey(Schema.Array(Schema.String)),
      /** Folders with room code that it deploys: docs/conformance-adapter.md. */
      projects: Schema.optionalKey(
        Schema.Struct({
          plain: Schema.String,
          declaring: Schema.String,
          breaking: Schema.optionalKey(Schema.String)
        })
      )
    })
  ),
  /** How a server of one's own is started, of which `ready` is a line of its output. */
  selfRun: Schema.optionalKey(
    Schema.Struct({
      argv: Schema.NonEmptyArray(Schema.String),
      env: Schema.Record(Schema.String, Schema.String),
      ready: Schema.String
    })
  ),
  /** A program that speaks the adapter protocol on stdin and stdout: fixtures and schemas. */
  adapter: Schema.optionalKey(Schema.Struct({ argv: Schema.NonEmptyArray(Schema.String) })),
  /** A module that exports codecs: see `Codecs`. */
  codecs: Schema.optionalKey(Schema.String)
})
export type Config = typeof Config.Type
