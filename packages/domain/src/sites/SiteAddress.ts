import { labelFault } from "./SiteLabel.ts"

/** The ports of sites, both ends included. */
export interface SitePorts {
  readonly from: number
  readonly to: number
}

/** How browsers reach sites: below a host that answers for all names under it, or at a port each. */
export interface SiteAddresses {
  /** Without a port, in lower case. */
  readonly host: string
  /** `null` = sites have names below the host. */
  readonly ports: SitePorts | null
}

/** A site by its label; a label of `null` = an address that no site can have; `null` = the service itself. */
export type AskedHost = { readonly label: string | null } | null

/** A host may end in a dot, and browsers take it as another origin with the same address. */
const nameOf = (host: string): string => host.replace(/:\d*$/, "").replace(/\.$/, "").toLowerCase()

/**
 * The site that a host header names. Every name below the host of sites is a site's: the service itself answers at
 * none of them. Source: C-358.
 */
export const askedHost = ({ host, ports }: SiteAddresses, header: string): AskedHost => {
  const name = nameOf(header)
  if (ports !== null || !name.endsWith(`.${host}`)) return null
  const label = name.slice(0, -1 - host.length)
  return { label: labelFault(label) === null ? label : null }
}

/**
 * The address of a site, which is its origin, too.
 *
 * @param serviceUrl of the service, as the caller knows it
 */
export const siteUrl = (
  { host, ports }: SiteAddresses,
  site: { readonly label: string; readonly port: number | null },
  serviceUrl: string
): string => {
  const url = new URL(serviceUrl)
  const port = url.port === "" ? "" : `:${url.port}`
  return ports === null || site.port === null
    ? `${url.protocol}//${site.label}.${host}${port}`
    : `${url.protocol}//${url.hostname}:${site.port}`
}

/** The origins of a project whose site has moved: without that of its address before, with the new one. */
export const originsOf = (
  origins: ReadonlyArray<string>,
  site: { readonly before: string | null; readonly now: string | null }
): ReadonlyArray<string> => {
  const kept = origins.filter((origin) => origin === site.now || origin !== site.before)
  const isListed = site.now === null || kept.includes("*") || kept.includes(site.now)
  return isListed || site.now === null ? kept : [...kept, site.now]
}
