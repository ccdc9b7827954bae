import { setTimeout as wait } from "node:timers/promises"

import { DemoError } from "./DemoService.ts"

/** The time is up: rejects with `DemoError`, and keeps no process alive. */
export const timeUp = async (afterMs: number): Promise<never> => {
  await wait(afterMs, undefined, { ref: false })
  throw new DemoError(`the demo took longer than ${afterMs / 1000} s`)
}
