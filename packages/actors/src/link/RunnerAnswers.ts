import { Context, Effect, Latch, Layer, type Scope } from "effect"

import { linkAnswer } from "./LinkMessages.ts"
import type { AnsweredQuestions } from "./LinkQuestions.ts"

/** Answers one question: the effect that it makes gives the next part each time. The scope ends with the question. */
type RunnerAnswer<Needs = never> = (
  input: unknown
) => Effect.Effect<Effect.Effect<unknown>, never, Needs | Scope.Scope>

/** The answers of this runner to what other runners ask: what it has in memory and nobody else can know. */
export class RunnerAnswers extends Context.Service<
  RunnerAnswers,
  {
    /** Gives the answer to the questions of this name. No runner asks before this one has started. */
    add<Needs>(name: string, answer: RunnerAnswer<Needs>): Effect.Effect<void, never, Needs>
    readonly open: AnsweredQuestions["open"]
  }
>()("@atrium/actors/link/RunnerAnswers") {
  static readonly layer = Layer.effect(
    RunnerAnswers,
    Effect.gen(function* () {
      const answers = new Map<string, RunnerAnswer<Scope.Scope>>()
      const run = Effect.runForkWith(yield* Effect.context<never>())
      return {
        add: <Needs>(name: string, answer: RunnerAnswer<Needs>) =>
          Effect.contextWith((context: Context.Context<Needs>) =>
            Effect.sync(() => {
              answers.set(name, (input) =>
                Effect.updateContext(answer(input), (own: Context.Context<Scope.Scope>) =>
                  Context.merge(context, own)
                )
              )
            })
          ),
        open: ({ name, input }, tell) => {
          const answer = answers.get(name)
          const wanted = Latch.makeUnsafe(true)
          const answering = Effect.gen(function* () {
            if (answer === undefined) return tell.failed("the runner does not know the question")
            const part = yield* answer(input)
            const next = Effect.gen(function* () {
              yield* wanted.await
              wanted.closeUnsafe()
              tell.part(linkAnswer.pack(yield* part))
            })
            return yield* Effect.forever(next)
          }).pipe(
            Effect.scoped,
            Effect.tapDefect((defect) => {
              tell.failed("the runner could not answer")
              return Effect.logWarning(`the question ${name} of another runner failed`, defect)
            })
          )
          const fiber = run(answering)
          return {
            more: () => wanted.openUnsafe(),
            end: () => fiber.interruptUnsafe()
          }
        }
      }
    })
  )
}
