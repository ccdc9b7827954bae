import { DeploymentLimits } from "@atrium/domain/deployments/DeploymentLimits"
import { expect, it } from "@effect/vitest"
import { Cause, Effect, Fiber } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { TestClock } from "effect/testing"

import { timely } from "./TimelyBody.ts"

it.effect("[C-212] a bundle that does not come within a minute is answered with 408", () =>
  Effect.gen(function* () {
    const body = new ReadableStream<Uint8Array>({
      start: (stream) => stream.enqueue(new Uint8Array(1))
    })
    const init: RequestInit & { readonly duplex: "half" } = { method: "POST", body, duplex: "half" }
    const request = timely(HttpServerRequest.fromWeb(new Request("http://service/", init)), {
      ms: DeploymentLimits.deployUpload.ms,
      noun: "bundle"
    })
    const reading = yield* Effect.forkChild(Effect.exit(request.arrayBuffer))
    yield* TestClock.adjust(DeploymentLimits.deployUpload.ms - 1)
    expect(reading.pollUnsafe()).toBeUndefined()
    yield* TestClock.adjust(1)
    const exit = yield* Fiber.join(reading)
    const answer = exit._tag === "Failure" ? Cause.squash(exit.cause) : exit.value
    expect(HttpServerResponse.isHttpServerResponse(answer) && answer.status).toBe(408)
  })
)
