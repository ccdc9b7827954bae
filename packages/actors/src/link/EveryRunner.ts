import { Effect, type Schema } from "effect"

import { OtherRunners } from "../cluster/OtherRunners.ts"
import type { LinkQuestion } from "./LinkMessages.ts"
import { olderRunner } from "./LinkQuestions.ts"
import { Links } from "./Links.ts"

/** Reads one part of an answer. */
type Decode<A> = (part: unknown) => Effect.Effect<A, Schema.SchemaError>

/**
 * Asks every other runner of the service for what it has in memory. One that does not answer is a failure, as an
 * answer without its part would be wrong. Source: C-423.
 */
export const makeEveryRunner = Effect.gen(function* () {
  const others = yield* OtherRunners
  const links = yield* Links

  const asked = <A>(link: string, question: LinkQuestion, decode: Decode<A>) =>
    Effect.scoped(
      Effect.gen(function* () {
        const answering = yield* links.ask(link, question)
        return yield* Effect.orDie(decode(yield* answering.next(0)))
      })
    )

  return <A>(question: LinkQuestion, decode: Decode<A>) =>
    Effect.gen(function* () {
      // A runner without a link is starting, and has no rooms yet.
      const runners = (yield* others.living).flatMap(({ address, link }) =>
        link === null ? [] : [{ address, link }]
      )
      return yield* Effect.forEach(
        runners,
        ({ address, link }) =>
          asked(link, question, decode).pipe(
            // The operator's log names the runner; its address is nothing for the developers of a project.
            Effect.tapError(({ message }) =>
              message === olderRunner
                ? Effect.void
                : Effect.logWarning(
                    `the runner ${address} did not answer ${question.name}: ${message}`
                  )
            )
          ),
        { concurrency: "unbounded" }
      )
    })
})
