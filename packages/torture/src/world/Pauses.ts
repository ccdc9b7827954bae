import { done, Failure, failed, type Group, type Outcome, waitFor, type Work } from "./Work.ts"
import type { World } from "./World.ts"

/** What waits for nothing. */
export function* immediate<A>(does: () => A): Work<A> {
  return yield* waitFor<A>((wake) => wake(done(does())))
}

/** On the machine's time, as what guards against a hang. */
export function* sleep(world: World, ms: number): Work<void> {
  yield* waitFor<void>((wake) => world.timeline.after(ms, () => wake(done(undefined))))
}

/** By the service's clock. See `sleepByRule` in actors/clock/RuleTime.ts. */
export function* sleepByRule(world: World, ms: number): Work<void> {
  yield* waitFor<void>((wake) => world.timeline.afterByRule(ms, () => wake(done(undefined))))
}

interface Bound<A> {
  readonly world: World
  readonly group: Group
  readonly ms: number
  readonly work: Work<A>
}

/** Ends the work when it takes longer. Errors: Failure Timeout. */
export function* within<A>({ world, group, ms, work }: Bound<A>): Work<A> {
  const fiber = world.fork(group, work)
  return yield* waitFor<A>((wake) => {
    fiber.onEnd(wake)
    world.timeline.after(ms, () => {
      fiber.cancel()
      wake(failed(new Failure("Timeout")))
    })
  })
}

/** Goes on by itself, whatever becomes of who waits for it. */
export function* joined<A>(world: World, group: Group, work: Work<A>): Work<A> {
  return yield* waitFor<A>((wake: (outcome: Outcome<A>) => void) =>
    world.fork(group, work).onEnd(wake)
  )
}

const firstMs = 100
const mostMs = 2000

export interface Retrying {
  readonly times: number
  while(error: unknown): boolean
}

/** `untilBack` of actors/store/StoreRetry.ts: soon at first, then every two seconds. */
export function* retried<A>(world: World, again: Retrying, work: () => Work<A>): Work<A> {
  let waitMs = firstMs
  for (let attempt = 0; ; attempt++) {
    try {
      return yield* work()
    } catch (error) {
      if (!(error instanceof Failure) || attempt >= again.times || !again.while(error)) throw error
    }
    yield* sleep(world, waitMs)
    waitMs = Math.min(mostMs, 2 * waitMs)
  }
}
