import { setTimeout as wait } from "node:timers/promises"

import { DemoError } from "./DemoService.ts"

const pollEveryMs = 200

/** Asks again and again until there is an answer. Rejects with `DemoError` when `withinMs` are over. */
export const until = async <T>(
  ask: () => T | null | Promise<T | null>,
  { what, withinMs }: { readonly what: string; readonly withinMs: number }
): Promise<T> => {
  const endsAtMs = performance.now() + withinMs
  for (;;) {
    const answer = await ask()
    if (answer !== null) return answer
    if (performance.now() > endsAtMs) {
      throw new DemoError(`${what}: not within ${Math.round(withinMs / 1000)} s`)
    }
    await wait(pollEveryMs)
  }
}

/** The time is up: rejects with `DemoError`, and keeps no process alive. */
export const timeUp = async (afterMs: number): Promise<never> => {
  await wait(afterMs, undefined, { ref: false })
  throw new DemoError(`the demo took longer than ${afterMs / 1000} s`)
}
