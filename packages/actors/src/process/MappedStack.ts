import { Effect } from "effect"

import { ProcessPool } from "./ProcessPool.ts"

/** Maps a log line that may be a stack to the sources of a bundle. A line that is mapped already is returned without a wait. */
export const mappedStack = Effect.fnUntraced(function* (bundle: Uint8Array, line: string) {
  const mapped = (yield* ProcessPool).mapStack(bundle, line)
  return typeof mapped === "string" ? mapped : yield* Effect.promise(() => mapped)
})
