import { expect, it } from "@effect/vitest"
import { Effect, Fiber, Logger } from "effect"
import { HttpServerRequest } from "effect/http"

import { RequestId, requestIdOf, withRequestIds } from "./RequestId.ts"

it.effect("[C-232] lines that are logged while a request is answered bear its id", () => {
  const lines: Array<string> = []
  const logger = Logger.map(Logger.formatLogFmt, (line) => void lines.push(line))
  const source = new Request("http://localhost/")
  const answering = Effect.gen(function* () {
    yield* Effect.logInfo("here")
    yield* Fiber.join(yield* Effect.forkChild(Effect.logInfo("in another fiber")))
    return yield* RequestId
  })
  return Effect.gen(function* () {
    const id = yield* withRequestIds(answering)
    expect(id).toBe(requestIdOf(source))
    expect(lines.map((line) => line.includes(`request=${id}`))).toEqual([true, true])
    expect(requestIdOf(new Request("http://localhost/"))).not.toBe(id)
  }).pipe(
    Effect.provideService(HttpServerRequest.HttpServerRequest, HttpServerRequest.fromWeb(source)),
    Effect.provide(Logger.layer([logger]))
  )
})
