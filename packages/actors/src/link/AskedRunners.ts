import { LinkLimits } from "@atrium/domain/link/LinkLimits"
import { Data, Effect, type Scope } from "effect"

import type { LinkQuestion } from "./LinkMessages.ts"
import type { LinkPool } from "./LinkPool.ts"

/** Another runner does not answer a question. */
export class RunnerSilent extends Data.TaggedError("RunnerSilent")<{
  readonly message: string
}> {}

/** A question that is open. */
export interface Answering {
  /** The next part of the answer, which may take this long. */
  next(withinMs: number): Effect.Effect<unknown, RunnerSilent>
}

/** Asks the runner whose link is at the address. The question ends with the scope. */
export const askOver =
  (pool: Pick<LinkPool, "ask">) =>
  (address: string, question: LinkQuestion): Effect.Effect<Answering, never, Scope.Scope> =>
    Effect.gen(function* () {
      const answer = new Answer()
      const asked = yield* Effect.acquireRelease(
        Effect.sync(() =>
          pool.ask(address, {
            ...question,
            told: (part) => answer.tell({ part }),
            failed: (why) => answer.tell({ why })
          })
        ),
        ({ end }) => Effect.sync(end)
      )
      return {
        next: (withinMs) =>
          answer
            .next(() => asked.more())
            .pipe(
              Effect.timeoutOrElse({
                duration: withinMs + LinkLimits.linkAnswer.ms,
                orElse: () => Effect.fail(new RunnerSilent({ message: "it does not answer" }))
              })
            )
      }
    })

type Told = { readonly part: unknown } | { readonly why: string }

/** The parts of one answer: one is on its way, or has come and was not taken. */
class Answer {
  #onItsWay = true
  #told: Told | null = null
  #resume: ((told: Told) => void) | null = null

  tell(told: Told): void {
    this.#told = told
    this.#resume?.(told)
  }

  next(more: () => void): Effect.Effect<unknown, RunnerSilent> {
    return Effect.callback<Told>((resume) => {
      if (this.#told !== null) return resume(Effect.succeed(this.#told))
      this.#resume = (told) => resume(Effect.succeed(told))
      if (!this.#onItsWay) more()
      this.#onItsWay = true
      return Effect.sync(() => {
        this.#resume = null
      })
    }).pipe(
      Effect.flatMap((told) => {
        this.#resume = null
        // A failure stays: nothing comes after it.
        if ("why" in told) return Effect.fail(new RunnerSilent({ message: told.why }))
        this.#told = null
        this.#onItsWay = false
        return Effect.succeed(told.part)
      })
    )
  }
}
