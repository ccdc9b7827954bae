import { type OtherRunner, OtherRunners } from "@atrium/actors/cluster/OtherRunners"
import { RunnerSilent } from "@atrium/actors/link/AskedRunners"
import { Links } from "@atrium/actors/link/Links"
import { RunnerAnswers } from "@atrium/actors/link/RunnerAnswers"
import { LogFollower } from "@atrium/actors/logs/LogFollowers"
import { LogTail } from "@atrium/actors/logs/LogTail"
import { LogLimits } from "@atrium/domain/logs/LogLimits"
import { lineIdAt } from "@atrium/domain/logs/LogLine"
import { expect, it } from "@effect/vitest"
import { Effect, Layer, Queue } from "effect"
import { TestClock } from "effect/testing"

import { OtherTails, OtherTailsLayer } from "./OtherTails.ts"

const line = (lineId: number) =>
  ({ lineId, roomId: "r", level: "info", line: `${lineId}` }) as const
const part = (...ids: ReadonlyArray<number>) => ({ lines: ids.map(line), missed: 0, isOver: false })
const runnerAt = (address: string): OtherRunner => ({ address, link: address, newestProtocol: 2 })

/** Other runners that say what the test puts into their queues, and what they were asked. */
const makeOthers = Effect.gen(function* () {
  const parts = yield* Queue.unbounded<object | string>()
  const alive: Array<OtherRunner> = []
  const asked: Array<unknown> = []
  const next = Effect.flatMap(Queue.take(parts), (told) =>
    typeof told === "string"
      ? Effect.fail(new RunnerSilent({ message: told }))
      : Effect.succeed(told)
  )
  const links = Layer.mock(Links, {
    ask: (_address, { input }) =>
      Effect.sync(() => {
        asked.push(Object(input).fromId)
        return { next: () => next }
      }),
    forward: () => {
      throw new Error("nobody is forwarded")
    },
    reaching: () => null,
    reached: () => [],
    forget: () => undefined,
    figures: () => {
      throw new Error("nobody counts")
    }
  })
  const layer = OtherTailsLayer.pipe(
    Layer.provide([links, LogTail.layer, RunnerAnswers.layer]),
    Layer.provide(
      Layer.succeed(OtherRunners, { several: true, living: Effect.sync(() => [...alive]) })
    )
  )
  const tell = (...told: ReadonlyArray<object | string>) => Queue.offerAll(parts, told)
  return { alive, asked, tell, layer }
})

const follower = () => new LogFollower({ projectId: "p", roomId: null, level: "debug" })
const look = TestClock.adjust(LogLimits.logTailLook.ms)

it.effect("[C-424] the lines of another runner come first from its memory, then as they come", () =>
  Effect.gen(function* () {
    const { alive, asked, tell, layer } = yield* makeOthers
    alive.push(runnerAt("a:1"))
    yield* tell(part(5, 6), part(7), { ...part(8), missed: 3 })
    const heard = follower()
    const others = yield* Effect.flatMap(OtherTails, ({ follow }) => follow(heard, 5)).pipe(
      Effect.provide(layer)
    )
    expect(others).toEqual({ lines: [line(5), line(6)], isWhole: true })
    yield* look
    expect(yield* heard.next(0)).toEqual({ lines: [line(7), line(8)], missed: 3 })
    expect(asked).toEqual([5])
  })
)

it.effect(
  "[C-424] a runner that is lost is asked again from its last line on, and told as missed when it has ended",
  () =>
    Effect.gen(function* () {
      const { alive, asked, tell, layer } = yield* makeOthers
      alive.push(runnerAt("a:1"))
      yield* tell(part(5), part(6), "its link is lost", part(7))
      const heard = follower()
      yield* Effect.flatMap(OtherTails, ({ follow }) => follow(heard, 5)).pipe(
        Effect.provide(layer)
      )
      yield* look
      yield* look
      expect(asked).toEqual([5, 7])
      expect(yield* heard.next(0)).toEqual({ lines: [line(6), line(7)], missed: 0 })
      yield* tell("its link is lost")
      alive.pop()
      yield* look
      yield* look
      expect(yield* heard.next(0)).toEqual({ lines: [], missed: null })
      yield* look
      expect(yield* heard.next(0)).toEqual({ lines: [], missed: 0 })
    })
)

it.effect("[C-424] a runner that starts later is followed from the tail's start on", () =>
  Effect.gen(function* () {
    yield* TestClock.adjust(1000)
    const { alive, asked, tell, layer } = yield* makeOthers
    const heard = follower()
    const others = yield* Effect.flatMap(OtherTails, ({ follow }) => follow(heard, 5)).pipe(
      Effect.provide(layer)
    )
    expect(others).toEqual({ lines: [], isWhole: true })
    alive.push(runnerAt("a:1"))
    yield* tell(part(9))
    yield* look
    yield* look
    expect(asked).toEqual([lineIdAt(1000)])
    expect(yield* heard.next(0)).toEqual({ lines: [line(9)], missed: 0 })
  })
)

it.effect("[C-424] a runner that does not answer leaves the tail not whole", () =>
  Effect.gen(function* () {
    const { alive, tell, layer } = yield* makeOthers
    alive.push(runnerAt("a:1"), { ...runnerAt("b:2"), link: null })
    yield* tell("it does not answer")
    const others = yield* Effect.flatMap(OtherTails, ({ follow }) => follow(follower(), 5)).pipe(
      Effect.provide(layer)
    )
    expect(others).toEqual({ lines: [], isWhole: false })
  })
)
