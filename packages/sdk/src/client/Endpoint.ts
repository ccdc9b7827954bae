/** A service as HTTP and as WebSocket base, both without a slash at the end. */
export interface Endpoint {
  readonly http: string
  readonly ws: string
  /** On this machine, where a project need not be named. */
  readonly local: boolean
}

const Protocols: Readonly<Record<string, readonly [http: string, ws: string]>> = {
  "http:": ["http:", "ws:"],
  "ws:": ["http:", "ws:"],
  "https:": ["https:", "wss:"],
  "wss:": ["https:", "wss:"]
}

/** Reads the address of a service. Throws an Error that starts with the address. */
export const endpointOf = (address: string): Endpoint => {
  // Not `URL.parse`, which Node 20 lacks.
  const url = URL.canParse(address) ? new URL(address) : null
  const protocols = url === null ? undefined : Protocols[url.protocol]
  if (url === null || protocols === undefined) {
    throw new Error(`${address}: not an http(s) or ws(s) address`)
  }
  if (url.search !== "" || url.hash !== "" || url.username !== "" || url.password !== "") {
    throw new Error(`${address}: an address has no query, fragment or credential`)
  }
  const [http, ws] = protocols
  const rest = `//${url.host}${url.pathname.replace(/\/+$/, "")}`
  return { http: http + rest, ws: ws + rest, local: isLocal(url.hostname) }
}

const isLocal = (hostname: string): boolean =>
  hostname === "localhost" ||
  hostname.endsWith(".localhost") ||
  hostname === "[::1]" ||
  /^127(\.[0-9]{1,3}){3}$/.test(hostname)
