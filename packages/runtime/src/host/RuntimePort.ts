import type { Compression } from "./Compression.ts"

/** What the runtime needs from the process that it runs in. Tests give it virtual time. */
export interface RuntimePort {
  readonly mode: "describe" | "start"
  /** Sends a whole frame; frames of one turn leave together, in order. */
  send(frame: Uint8Array): void
  /** Milliseconds from any fixed point; never goes back. */
  nowMs(): number
  /** Runs once after `delayMs`. @returns cancels it */
  setTimer(delayMs: number, run: () => void): () => void
  /** Runs once when all events that are there now have been handled. */
  afterTurn(run: () => void): void
  /** Collects garbage. @returns bytes that are alive, buffers included */
  liveBytes(): number
  /** Shows values as `console.log` does. */
  format(values: ReadonlyArray<unknown>): string
  /** From now on lines of the console name the place that wrote them. An older process cannot. */
  namePlaces?(): void
  /** The place in the bundle that called a function; empty = places are not named, or it is not known. */
  placeOf?(by: CallableFunction): string
  /** An older process cannot: its rooms record nothing. */
  readonly compression?: Compression
  /** Sends what is waiting and ends the process. */
  end(): void
}
