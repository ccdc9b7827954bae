import { type Endpoint, endpointOf } from "@atrium/sdk/client/Endpoint"
import { Result } from "effect"

/**
 * The service that a load may be aimed at. This machine needs its address alone; any other host is named a second
 * time, so that no slip and no variable sends thousands of players to it. Fails with what is wrong.
 *
 * @param mayLoad the host of `--i-may-load`; `null` = not given
 */
export const loadTarget = (
  address: string,
  mayLoad: string | null
): Result.Result<Endpoint, string> =>
  Result.flatMap(
    Result.try({
      try: () => endpointOf(address),
      // The message begins with the address.
      catch: (error) =>
        address.includes("@")
          ? "--url: an address has no credential"
          : `--url: ${error instanceof Error ? error.message : address}`
    }),
    (endpoint) => {
      const { hostname } = new URL(endpoint.ws)
      if (mayLoad !== null && mayLoad !== hostname) {
        return Result.fail(`--i-may-load names ${mayLoad}, and --url names ${hostname}`)
      }
      if (endpoint.local || mayLoad === hostname) return Result.succeed(endpoint)
      return Result.fail(
        `${hostname} is another machine: if it is yours to load, name it again: --i-may-load ${hostname}`
      )
    }
  )
