import { Effect } from "effect"

import { ProcessPool } from "./ProcessPool.ts"

/** A log line that may be a stack, with the sources of a bundle in it. What is known is there at once. */
export const mappedStack = Effect.fnUntraced(function* (bundle: Uint8Array, line: string) {
  const mapped = (yield* ProcessPool).mapStack(bundle, line)
  return typeof mapped === "string" ? mapped : yield* Effect.promise(() => mapped)
})
