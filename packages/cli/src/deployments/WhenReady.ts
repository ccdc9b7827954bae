import { Console, Effect } from "effect"

import type { CommandFailure } from "../CommandFailure.ts"

/** How often a busy service is asked again, and the longest wait before that. */
const patience = { times: 10, waitMs: 10_000 }

/** Asks again as long as the service says that it is not ready, when it wants to be asked. */
export const whenReady = <A, R>(
  call: Effect.Effect<A, CommandFailure, R>,
  left = patience.times
): Effect.Effect<A, CommandFailure, R> =>
  Effect.catch(call, (failure) => {
    const busy = failure._tag === "Refused" && failure.code === "E_NOT_READY"
    if (!busy || failure.retryAfterMs === undefined || left === 0) return Effect.fail(failure)
    return Console.error("the service is not ready; waiting …").pipe(
      Effect.andThen(Effect.sleep(Math.min(failure.retryAfterMs, patience.waitMs))),
      Effect.andThen(whenReady(call, left - 1))
    )
  })
