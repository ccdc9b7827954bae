/** An address of a TCP listener. */
export interface HostPort {
  /** An IPv6 address stands without brackets. */
  readonly host: string
  readonly port: number
}

const hostAndPort = /^(?:\[([0-9a-fA-F:.]+(?:%[^\]\s]+)?)\]|([^:[\]\s]+)):(\d{1,5})$/

/** Reads `host:port`, in which an IPv6 address stands in brackets; `null` = the text is no such address. */
export const readHostPort = (text: string): HostPort | null => {
  const [, address, name = "", digits] = hostAndPort.exec(text) ?? []
  const port = Number(digits)
  return port <= 65_535 ? { host: address ?? name, port } : null
}

/** Takes an address apart that a runner has told of itself: its host has no colon. */
export const hostPortOf = (address: string): HostPort => {
  const colon = address.lastIndexOf(":")
  return { host: address.slice(0, colon), port: Number(address.slice(colon + 1)) }
}
