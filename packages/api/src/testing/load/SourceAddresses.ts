const firstHost = 2
const hostsPerNet = 250

/** Connections that one address makes: below every limit per address and minute of the specification. */
const connectionsPerAddress = 50

/**
 * Addresses of this machine's loopback network, each for so many connections, so that limits per
 * address do not stop the load of one machine. Linux answers on all of 127.0.0.0/8.
 */
export class SourceAddresses {
  #taken = 0

  next(): string {
    const place = Math.floor(this.#taken / connectionsPerAddress)
    this.#taken++
    return `127.77.${Math.floor(place / hostsPerNet)}.${firstHost + (place % hostsPerNet)}`
  }
}
