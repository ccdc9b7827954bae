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
