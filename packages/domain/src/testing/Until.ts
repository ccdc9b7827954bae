// The machine's own clock and timers, taken before a test puts others in their place.
const now = performance.now.bind(performance)
const { setTimeout: later } = globalThis

const LookEveryMs = 10
const LookAtLeastEveryMs = 50
/** The time between two looks, in the time that a look takes: a request costs the service more than the test. */
const PauseOfLook = 8

/** A condition that did not come to hold in its time. */
export class NotInTime extends Error {
  override readonly name = "NotInTime"
}

type Nothing = null | undefined | false

/**
 * Looks again and again until `look` finds something, and answers with it. A look that takes long, such as a request, is
 * repeated less often. Errors: {@link NotInTime}.
 */
export const until = async <A>(
  what: string,
  look: () => Promise<A | Nothing> | A | Nothing,
  withinMs = 120_000
): Promise<A> => {
  const deadlineMs = now() + withinMs
  for (;;) {
    const lookedAt = now()
    const seen = await look()
    if (seen !== null && seen !== undefined && seen !== false) return seen
    if (now() > deadlineMs) throw new NotInTime(`${what}: not within ${withinMs} ms`)
    const pauseMs = Math.max(LookEveryMs, PauseOfLook * (now() - lookedAt))
    await new Promise((resolve) => later(resolve, Math.min(pauseMs, LookAtLeastEveryMs)))
  }
}
