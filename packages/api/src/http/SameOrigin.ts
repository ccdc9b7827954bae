import { OriginRefused } from "@atrium/domain/shared/Refusal"

/** The refusal of a page of another origin that brings the session cookie. Source: D-23. */
export const foreignSession = (): OriginRefused =>
  new OriginRefused({ message: "origin: a session is taken from the service's own pages only" })

/**
 * Whether a page of this very service sent the request. `sec-fetch-site`, which no page can forge and no proxy
 * changes, decides; a browser without it sends an origin, which must be the host that was asked.
 * A request without both proves nothing. Source: D-23.
 */
export const isSameOrigin = (headers: Readonly<Record<string, string | undefined>>): boolean => {
  const site = headers["sec-fetch-site"]
  if (site !== undefined) return site === "same-origin"
  const host = headers["host"]
  const origin = headers["origin"]
  if (host === undefined || origin === undefined || !URL.canParse(origin)) return false
  const { protocol, host: asking } = new URL(origin)
  const asked = `${protocol}//${host}`
  // The scheme is the origin's: behind a proxy only the browser knows it, and the default port.
  return URL.canParse(asked) && new URL(asked).host === asking && asking !== ""
}

/** A header that the service's own pages send. Another origin would have to ask for it first, and is refused. */
export const ownPageHeader = "x-atrium-page"

/**
 * Whether a session may read: the service's own page asks, or a person who has opened the address. A
 * browser that says nothing of where a request comes from, as all do over plain HTTP to a host that is not
 * this machine, needs the header of an own page. Source: C-360.
 */
export const mayRead = (headers: Readonly<Record<string, string | undefined>>): boolean => {
  const site = headers["sec-fetch-site"]
  if (site !== undefined) return site === "same-origin" || site === "none"
  return isSameOrigin(headers) || headers[ownPageHeader] !== undefined
}
