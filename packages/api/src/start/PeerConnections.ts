import type { Duplex } from "node:stream"

import { HttpLimits } from "@atrium/domain/http/HttpLimits"
import { type AddressRules, clientAddressOf } from "@atrium/domain/shared/ClientAddress"

/** A connection, and who is at its other end. */
export interface PeerStream extends Duplex {
  readonly remoteAddress?: string | undefined
}

/**
 * The connections of each peer, for as long as they speak HTTP: those that say nothing, that send half
 * a request or wait for their next one. What becomes a WebSocket is counted at the door of its room.
 * Trusted proxies bring many clients. Source: C-132.
 */
export class PeerConnections {
  readonly #rules: AddressRules
  readonly #max: number
  readonly #counts = new Map<string, number>()
  readonly #subjects = new WeakMap<Duplex, string>()

  constructor(rules: AddressRules, max: number = HttpLimits.httpConnections.max) {
    // A trusted proxy is exempt here: its connections are those of many clients.
    const exempt = [...rules.trustedProxies, ...rules.exempt]
    this.#rules = { trustedProxies: [], exempt }
    this.#max = max
  }

  /** @returns false = the peer has all that it may have */
  came(stream: PeerStream): boolean {
    const peer = clientAddressOf(stream.remoteAddress, undefined, this.#rules)
    if (peer.exempt) return true
    const count = this.#counts.get(peer.subject) ?? 0
    if (count >= this.#max) return false
    this.#counts.set(peer.subject, count + 1)
    this.#subjects.set(stream, peer.subject)
    stream.once("close", () => this.left(stream))
    return true
  }

  /** It has ended, or speaks HTTP no longer. */
  left(stream: Duplex): void {
    const subject = this.#subjects.get(stream)
    if (subject === undefined) return
    this.#subjects.delete(stream)
    const count = this.#counts.get(subject) ?? 0
    if (count > 1) this.#counts.set(subject, count - 1)
    else this.#counts.delete(subject)
  }
}
