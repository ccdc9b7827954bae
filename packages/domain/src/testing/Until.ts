// The machine's own clock and timers, taken before a test puts others in their place.
const now = performance.now.bind(performance)
const { setTimeout: later } = globalThis

const LookEveryMs = 10

/** A condition that did not come to hold in its time. */
export class NotInTime extends Error {
  override readonly name = "NotInTime"
}

type Nothing = null | undefined | false

/** Looks again and again until `look` finds something, and answers with it. Errors: {@link NotInTime}. */
export const until = async <A>(
  what: string,
  look: () => Promise<A | Nothing> | A | Nothing,
  withinMs = 30_000
): Promise<A> => {
  const deadlineMs = now() + withinMs
  for (;;) {
    const seen = await look()
    if (seen !== null && seen !== undefined && seen !== false) return seen
    if (now() > deadlineMs) throw new NotInTime(`${what}: not within ${withinMs} ms`)
    await new Promise((resolve) => later(resolve, LookEveryMs))
  }
}
