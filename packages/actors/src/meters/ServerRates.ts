import { belowRate, sustain, type SustainedState } from "@atrium/domain/meters/SustainedRate"

import type { SpareBytes } from "../rooms/SpareBytes.ts"

/** The bytes of a room that the rate of its server counts and limits. */
export interface RatedGate {
  readonly egressBytes: number
  readonly droppedBytes: number
  spare: SpareBytes | null
}

/** A room that is awake, and the server that it is on. */
export interface RatedRoom<Gate extends RatedGate> {
  readonly server: string
  readonly gate: Gate
}

interface Seen {
  wantedBytes: number
  droppedBytes: number
  /** The log of the room has the warning of this limit. */
  warned: boolean
}

/** The data out of each server of a runner, from look to look. */
export class ServerRates<Gate extends RatedGate> {
  readonly #bytesPerSecond: number
  #states = new Map<string, SustainedState>()
  readonly #seen = new WeakMap<RatedGate, Seen>()
  #lookedAtMs: number

  constructor(bytesPerSecond: number, nowMs: number) {
    this.#bytesPerSecond = bytesPerSecond
    this.#lookedAtMs = nowMs
  }

  /**
   * Looks at what has been sent, and says what may be.
   *
   * @returns the rooms whose messages have been dropped, once for each limit of their server
   */
  look(rooms: ReadonlyArray<RatedRoom<Gate>>, nowMs: number): ReadonlyArray<Gate> {
    const spanMs = nowMs - this.#lookedAtMs
    if (spanMs <= 0) return []
    this.#lookedAtMs = nowMs
    const states = new Map<string, SustainedState>()
    const dropping: Array<Gate> = []
    for (const [server, gates] of byServer(rooms)) {
      const bytes = gates.reduce((sum, gate) => sum + this.#wantedSince(gate), 0)
      const before = this.#states.get(server) ?? belowRate
      const state = sustain(before, { bytes, spanMs }, this.#bytesPerSecond)
      if (state !== belowRate) states.set(server, state)
      const bytesSpare = (this.#bytesPerSecond * spanMs) / 1000
      const spare = state.limited ? { bytes: bytesSpare } : null
      for (const gate of gates) {
        gate.spare = spare
        if (this.#warns(gate, state.limited || before.limited)) dropping.push(gate)
      }
    }
    this.#states = states
    return dropping
  }

  #wantedSince(gate: RatedGate): number {
    const wantedBytes = gate.egressBytes + gate.droppedBytes
    const seen = this.#seen.get(gate)
    if (seen === undefined) {
      this.#seen.set(gate, { wantedBytes, droppedBytes: gate.droppedBytes, warned: false })
      return wantedBytes
    }
    const since = wantedBytes - seen.wantedBytes
    seen.wantedBytes = wantedBytes
    return since
  }

  #warns(gate: RatedGate, limited: boolean): boolean {
    const seen = this.#seen.get(gate)
    if (seen === undefined) return false
    const dropped = gate.droppedBytes > seen.droppedBytes
    seen.droppedBytes = gate.droppedBytes
    const warns = dropped && !seen.warned
    seen.warned = limited && (seen.warned || dropped)
    return warns
  }
}

const byServer = <Gate extends RatedGate>(rooms: ReadonlyArray<RatedRoom<Gate>>) => {
  const servers = new Map<string, Array<Gate>>()
  for (const { server, gate } of rooms) {
    const gates = servers.get(server) ?? []
    gates.push(gate)
    servers.set(server, gates)
  }
  return servers
}
