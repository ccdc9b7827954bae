import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"

import { runSimulate } from "./Simulate.ts"

// `atrium` starts this program and holds a channel to it: nothing is simulated for nobody.
const orphaned = (): never => process.exit(1)
process.on("disconnect", orphaned)

process.exitCode = await runSimulate(process.argv.slice(2)).pipe(
  Effect.provide(NodeServices.layer),
  Effect.runPromise
)
process.off("disconnect", orphaned)
process.disconnect?.()
