import { Effect } from "effect"

/** Counts of the work that is under way. */
export interface Progress {
  /** Looks that run. */
  readonly looking: () => number
  /** Other steps that are under way. */
  readonly steps: () => number
}

/** A look may take its time; what never ends must not keep the clock for ever. */
const looksMsMax = 30_000
/** How quiet it must be, and how long other steps are waited for: they may be somebody else's. */
export interface Quiet {
  /** Turns of the event loop in a row in which nothing was under way. */
  readonly quietTurns: number
  readonly stepsMsMax: number
}

/**
 * Waits until looks are over and no step is under way. The machine's time, as the service's stands
 * meanwhile.
 */
export const settled = (
  progress: Progress,
  { quietTurns, stepsMsMax }: Quiet
): Effect.Effect<void> =>
  Effect.promise(async () => {
    const beganMs = performance.now()
    for (let quiet = 0, turns = 0; quiet < quietTurns; turns++) {
      await turn(turns)
      const spentMs = performance.now() - beganMs
      const looks = progress.looking() > 0 && spentMs < looksMsMax
      const steps = progress.steps() > 0 && spentMs < stepsMsMax
      quiet = looks || steps ? 0 : quiet + 1
    }
  })

/** The first looks come at once; later ones leave the processor to the work that they wait for. */
const turn = (turns: number): Promise<void> =>
  new Promise((resolve) => {
    if (turns < 20) setImmediate(resolve)
    else setTimeout(resolve, 1)
  })
