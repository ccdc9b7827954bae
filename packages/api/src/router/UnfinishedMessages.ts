import { ConnectionLimits } from "@atrium/domain/connections/ConnectionLimits"

/** A connection that may hold a message that has not come as a whole. */
export interface Unfinished {
  /** The address of its client. */
  readonly from: string
  /** Memory that it holds now. */
  readonly unfinishedBytes: number
  /** Ends it for what it holds; the second time at once. */
  holdsMost(): void
}

/** So much of the bound may come before the connections are looked at again: each look costs time. */
const stepsPerBound = 64

/**
 * Unfinished messages of all connections of a runner. Only bytes that arrived are held, so the connections
 * are looked at when enough bytes arrived to be over the bound. Past it the address that holds the most
 * loses its largest connection, until the rest is within the bound. Source: C-187.
 */
export class UnfinishedMessages {
  readonly #max: number
  readonly #connections = new Set<Unfinished>()
  /** Bytes that may come until the next look. */
  #left: number

  constructor(max: number = ConnectionLimits.clientsHeldAllBytes.max) {
    this.#max = max
    this.#left = max
  }

  add(connection: Unfinished): void {
    this.#connections.add(connection)
  }

  /** Its socket is closed, and what it held is free. */
  gone(connection: Unfinished): void {
    this.#connections.delete(connection)
  }

  /** So many bytes came, on any connection. */
  came(bytes: number): void {
    this.#left -= bytes + ConnectionLimits.chunkBytes.max
    if (this.#left < 0) this.#look()
  }

  #look(): void {
    let bytes = 0
    for (const connection of this.#connections) bytes += connection.unfinishedBytes
    if (bytes > this.#max) this.#cutDown(bytes - this.#max)
    // A connection that was just ended holds its bytes until its socket is closed.
    this.#left = Math.max(this.#max - bytes, this.#max / stepsPerBound)
  }

  /** Ends connections that hold at least so much. */
  #cutDown(bytes: number): void {
    const holders = byAddress(this.#connections)
    let freed = 0
    while (freed < bytes) {
      const most = holders.reduce((one, other) => (other.bytes > one.bytes ? other : one))
      const largest = most.connections.pop()
      if (largest === undefined) return
      most.bytes -= largest.bytes
      freed += largest.bytes
      largest.connection.holdsMost()
    }
  }
}

interface Holding {
  readonly connection: Unfinished
  readonly bytes: number
}

interface AddressHolding {
  bytes: number
  /** The largest one is the last. */
  readonly connections: Array<Holding>
}

const byAddress = (connections: Iterable<Unfinished>): ReadonlyArray<AddressHolding> => {
  const holders = new Map<string, AddressHolding>()
  for (const connection of connections) {
    const bytes = connection.unfinishedBytes
    if (bytes === 0) continue
    const holder = holders.get(connection.from) ?? { bytes: 0, connections: [] }
    holder.bytes += bytes
    holder.connections.push({ connection, bytes })
    holders.set(connection.from, holder)
  }
  const all = [...holders.values()]
  for (const each of all) each.connections.sort((one, other) => one.bytes - other.bytes)
  return all
}
