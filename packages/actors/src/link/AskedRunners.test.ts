import { LinkLimits } from "@atrium/domain/link/LinkLimits"
import { expect, it } from "@effect/vitest"
import { Effect, Fiber, Ref } from "effect"
import { TestClock } from "effect/testing"

import { askOver } from "./AskedRunners.ts"
import { linkAnswer } from "./LinkMessages.ts"
import type { AskedQuestion } from "./LinkQuestions.ts"
import { RunnerAnswers } from "./RunnerAnswers.ts"

/** Both sides of a question, without a link between them. */
const makePair = Effect.gen(function* () {
  const { add, open } = yield* RunnerAnswers
  const sent: Array<string> = []
  const pool = {
    ask: ({ name, input, told, failed }: AskedQuestion) => {
      const tell = { part: (bytes: Uint8Array) => told(linkAnswer.unpack(bytes)), failed }
      const answer = open({ name, input }, tell)
      return {
        more: () => {
          sent.push("more")
          answer.more()
        },
        end: () => {
          sent.push("end")
          answer.end()
        }
      }
    }
  }
  const ask = askOver({ ask: (_address, question) => pool.ask(question) })
  return { add, sent, ask: (name: string, input: unknown = null) => ask("a:1", { name, input }) }
})

it.effect("[C-423] gives the parts of an answer one by one, and ends it with its scope", () =>
  Effect.gen(function* () {
    const { add, ask, sent } = yield* makePair
    const ended = yield* Ref.make(false)
    yield* add("count", (input) =>
      Effect.gen(function* () {
        yield* Effect.addFinalizer(() => Ref.set(ended, true))
        let count = Number(input)
        return Effect.sync(() => ++count)
      })
    )
    yield* Effect.scoped(
      Effect.gen(function* () {
        const { next } = yield* ask("count", 5)
        expect([yield* next(0), yield* next(0), sent]).toEqual([6, 7, ["more"]])
        expect(yield* Ref.get(ended)).toBe(false)
      })
    )
    yield* Effect.yieldNow
    expect([yield* Ref.get(ended), sent]).toEqual([true, ["more", "end"]])
  }).pipe(Effect.provide(RunnerAnswers.layer))
)

it.effect(
  "[C-423] an unknown question, and one whose answer fails, are refused with a reason",
  () =>
    Effect.gen(function* () {
      const { add, ask } = yield* makePair
      yield* add("broken", () => Effect.die(new Error("broken")))
      const refusalOf = (name: string) =>
        Effect.scoped(Effect.flatMap(ask(name), ({ next }) => Effect.flip(next(0))))
      expect((yield* refusalOf("nothing")).message).toBe("the runner does not know the question")
      expect((yield* refusalOf("broken")).message).toBe("the runner could not answer")
    }).pipe(Effect.provide(RunnerAnswers.layer))
)

it.effect("[C-423] a runner that says nothing is given up after its time, and not before", () =>
  Effect.gen(function* () {
    const { add, ask } = yield* makePair
    yield* add("silent", () => Effect.succeed(Effect.never))
    const asking = yield* Effect.forkChild(
      Effect.scoped(Effect.flatMap(ask("silent"), ({ next }) => Effect.flip(next(500))))
    )
    yield* TestClock.adjust(500 + LinkLimits.linkAnswer.ms - 1)
    expect(asking.pollUnsafe()).toBeUndefined()
    yield* TestClock.adjust(1)
    expect((yield* Fiber.join(asking)).message).toBe("it does not answer")
  }).pipe(Effect.provide(RunnerAnswers.layer))
)
