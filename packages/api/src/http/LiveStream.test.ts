import { HttpLimits } from "@atrium/domain/http/HttpLimits"
import { SecondMs } from "@atrium/wire/limits/Limit"
import { expect, it } from "@effect/vitest"
import { Effect, Fiber, Latch, Stream } from "effect"

import { LivePlaces, liveStream } from "./LiveStream.ts"

const { max } = HttpLimits.liveLists

it.effect(
  "[limits.live.lists] lists that are asked for at once have no more places than the limit",
  () =>
    Effect.gen(function* () {
      const looked = Latch.makeUnsafe(false)
      const look = Effect.as(looked.await, { text: "told", againInMs: SecondMs })
      const asked = yield* Effect.forEach(Array(max + 2), () =>
        Effect.forkChild(liveStream(look, "a project"))
      )
      yield* Effect.yieldNow
      looked.openUnsafe()
      const answers = yield* Effect.forEach(asked, Fiber.join)
      const open = new Set<string>()
      let ended = 0
      const read = answers.map(({ body }, at) =>
        body._tag === "Stream"
          ? Stream.runForEach(body.stream, () => Effect.sync(() => open.add(`${at}`))).pipe(
              Effect.tap(Effect.sync(() => (ended += 1)))
            )
          : Effect.die("no stream")
      )
      const readers = yield* Effect.forEach(read, (reads) => Effect.forkChild(reads))
      for (let turn = 0; turn < 100; turn++) yield* Effect.yieldNow
      expect([open.size, ended]).toEqual([max, 2])
      expect(yield* Effect.flip(liveStream(look, "a project"))).toMatchObject({
        _tag: "E_RATE_LIMITED"
      })
      yield* Effect.forEach(readers, Fiber.interrupt)
      const again = yield* liveStream(look, "a project")
      expect(again.body._tag).toBe("Stream")
    }).pipe(Effect.provide(LivePlaces.layer))
)
