#!/usr/bin/env node
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"

import { runSpecTests } from "./SpecTests.ts"

// The reader of the output may close the pipe early, as in `list | head`.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit()
  throw error
})
process.exitCode = await runSpecTests(process.argv.slice(2)).pipe(
  Effect.provide(NodeServices.layer),
  Effect.runPromise
)
