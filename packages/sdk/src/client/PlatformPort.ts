/** Ends a timer; harmless after it fired. */
export type Cancel = () => void

/** The parts of the outside that are the same on every platform; tests give their own. */
export interface PlatformPort {
  readonly fetch: typeof globalThis.fetch
  /** Milliseconds that only grow; where they start does not matter. */
  readonly elapsedMs: () => number
  readonly after: (waitMs: number, run: () => void) => Cancel
}

/** The platform that runs this program. */
export const platformPort: PlatformPort = {
  fetch: (input, init) => globalThis.fetch(input, init),
  elapsedMs: () => performance.now(),
  after: (waitMs, run) => {
    const timer = setTimeout(run, waitMs)
    return () => clearTimeout(timer)
  }
}
