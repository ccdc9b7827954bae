import { Context } from "effect"

/** The time and timers that a relay room runs on. Tests give it virtual time. */
export interface RelayPort {
  /** Milliseconds from any fixed point; never goes back. */
  nowMs(): number
  /** Runs once after `delayMs`. @returns cancels it */
  setTimer(delayMs: number, run: () => void): () => void
  /** Runs once when all events that are there now have been handled. */
  afterTurn(run: () => void): void
  /** Runs once when the caller has returned, before any other event. */
  soon(run: () => void): void
}

export const machinePort: RelayPort = {
  nowMs: () => performance.now(),
  setTimer: (delayMs, run) => {
    const timer = setTimeout(run, delayMs)
    return () => clearTimeout(timer)
  },
  afterTurn: (run) => void setImmediate(run),
  soon: (run) => queueMicrotask(run)
}

/** The port of the relay rooms of this runner. */
export const RelayPorts = Context.Reference<RelayPort>("@atrium/actors/relay/RelayPorts", {
  defaultValue: () => machinePort
})
