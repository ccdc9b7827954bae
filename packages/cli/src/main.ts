#!/usr/bin/env node
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"

import { runAtrium } from "./Atrium.ts"

process.exitCode = await runAtrium(process.argv.slice(2)).pipe(
  Effect.provide(Layer.mergeAll(NodeServices.layer, FetchHttpClient.layer)),
  Effect.runPromise
)

// A terminal that a question was read from would keep the process alive.
process.stdin.destroy()
