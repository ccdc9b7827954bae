import { type HostPort, readHostPort } from "@atrium/domain/shared/HostPort"
import { StoreLimits } from "@atrium/domain/store/StoreLimits"
import { Config, Effect, Option } from "effect"

/** The settings of operators, as the environment has them. */
export const operationsSettings = Config.all({
  privateAddress: Config.option(Config.String("ATRIUM_PRIVATE_ADDRESS")),
  databaseConnections: Config.option(Config.String("ATRIUM_DATABASE_CONNECTIONS"))
})
type OperationsSettings = Config.Success<typeof operationsSettings>

/** What operators set. */
export interface OperationsConfig {
  /** Where the private listener is; none = there is none. Source: C-460. */
  readonly privateAddress: Option.Option<HostPort>
  /** Connections of this runner to its database, at most. Source: C-462. */
  readonly databaseConnections: number
}

/**
 * Reads what operators set.
 *
 * @param port of the service, which the private listener may not have
 * @returns a sentence on what does not fit
 */
export const readOperations = (
  given: OperationsSettings,
  port: number
): Effect.Effect<OperationsConfig, string> =>
  Effect.gen(function* () {
    return {
      privateAddress: yield* addressOf(given.privateAddress, port),
      databaseConnections: yield* poolSizeOf(given.databaseConnections)
    }
  })

const addressOf = (given: Option.Option<string>, ofService: number) => {
  if (Option.isNone(given)) return Effect.succeedNone
  const address = readHostPort(given.value)
  if (address === null) {
    const shown = JSON.stringify(given.value)
    return Effect.fail(
      `ATRIUM_PRIVATE_ADDRESS must be host:port, such as 127.0.0.1:9464, not ${shown}.`
    )
  }
  return address.port !== 0 && address.port === ofService
    ? Effect.fail(`ATRIUM_PRIVATE_ADDRESS must not have the port of the service, ${ofService}.`)
    : Effect.succeedSome(address)
}

const poolSizeOf = (given: Option.Option<string>): Effect.Effect<number, string> => {
  if (Option.isNone(given)) return Effect.succeed(StoreLimits.storeConnectionsDefault.max)
  const { min, max } = StoreLimits.storeConnections
  const count = /^\d{1,9}$/.test(given.value) ? Number(given.value) : Number.NaN
  return count >= min && count <= max
    ? Effect.succeed(count)
    : Effect.fail(`ATRIUM_DATABASE_CONNECTIONS must be a whole number from ${min} to ${max}.`)
}
