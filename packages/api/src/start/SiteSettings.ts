import type { SiteAddresses, SitePorts } from "@atrium/domain/sites/SiteAddress"
import { SiteLimits } from "@atrium/domain/sites/SiteLimits"
import { Config, Effect, Option } from "effect"

/** The settings of sites, as the environment has them. */
export const siteSettings = Config.all({
  host: Config.option(Config.String("ATRIUM_STATIC_HOST")),
  ports: Config.option(Config.String("ATRIUM_STATIC_PORTS"))
})
export type SiteSettings = Config.Success<typeof siteSettings>

/** With the longest label and its dot a name has at most 253 characters. */
const hostMax = 253 - SiteLimits.siteLabelChars.max - 1

const isHost = (host: string): boolean =>
  host.length <= hostMax &&
  host.split(".").every((label) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(label)) &&
  // An address has no names below it.
  !/(?:^|\.)[0-9]+$/.test(host)

const portsOf = (text: string): SitePorts | null => {
  const [, from, to] = /^(\d{1,5})-(\d{1,5})$/.exec(text) ?? []
  const ports = { from: Number(from), to: Number(to) }
  const isRange = ports.from >= 1 && ports.from <= ports.to && ports.to <= 65_535
  return isRange && ports.to - ports.from < SiteLimits.sitePorts.max ? ports : null
}

/**
 * Reads how sites are reached. Source: C-358.
 *
 * @param port of the service, which no site may have
 * @returns a sentence on what does not fit
 */
export const readSiteSettings = (
  { host, ports }: SiteSettings,
  port: number
): Effect.Effect<SiteAddresses, string> => {
  const name = Option.getOrElse(host, () => "localhost")
  if (!isHost(name)) {
    return Effect.fail(
      `ATRIUM_STATIC_HOST must be a host name in lower case without a port, not ${JSON.stringify(name)}.`
    )
  }
  if (Option.isNone(ports)) return Effect.succeed({ host: name, ports: null })
  if (Option.isSome(host)) {
    return Effect.fail("ATRIUM_STATIC_HOST and ATRIUM_STATIC_PORTS are both set: set one of them.")
  }
  const range = portsOf(ports.value)
  if (range === null) {
    const { max } = SiteLimits.sitePorts
    return Effect.fail(
      `ATRIUM_STATIC_PORTS must be a range such as 9000-9099, of at most ${max} ports.`
    )
  }
  return port >= range.from && port <= range.to
    ? Effect.fail(`ATRIUM_STATIC_PORTS must not have the port of the service, ${port}.`)
    : Effect.succeed({ host: name, ports: range })
}
