import { PresenceLimits } from "@atrium/domain/presence/PresenceLimits"
import { isProjectId, RoomId } from "@atrium/domain/shared/Ids"
import { expect, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"

import { OtherRunners } from "../cluster/OtherRunners.ts"
import { askOver } from "../link/AskedRunners.ts"
import { linkAnswer } from "../link/LinkMessages.ts"
import type { AskedQuestion } from "../link/LinkQuestions.ts"
import { Links } from "../link/Links.ts"
import { RunnerAnswers } from "../link/RunnerAnswers.ts"
import { type Places, Presence } from "./Presence.ts"
import { SeatedPlayers, type Seats } from "./SeatedPlayers.ts"

const projectId = "p_0123456789abcdef"
const players = ["ann", "bob"]
const asked = { projectId, players }
const roomsOf = (places: Places) => places.map((place) => place?.roomId ?? null)

const roomOf = (seats: Seats, roomId: string) => {
  if (!isProjectId(projectId)) throw new Error("no project id")
  return seats.room({ projectId, roomId: RoomId.make(roomId) }, () => false)
}

const { presenceTogether, presenceLook, presenceSilence, presenceUnread } = PresenceLimits
/** Changes have crossed and were told. */
const crossed = Effect.andThen(
  TestClock.adjust(presenceTogether.ms),
  TestClock.adjust(presenceTogether.ms)
)

/** Two runners, and the link from the first to the second, which the test can cut. */
const makeRunners = Effect.gen(function* () {
  const link = { up: true, asks: 0, cut: () => undefined as void }
  const linkTo = (answers: RunnerAnswers["Service"]) =>
    askOver({
      ask: (_address, { name, input, told, failed }: AskedQuestion) => {
        link.asks++
        if (!link.up) {
          failed("the link cannot be opened")
          return { more: () => undefined, end: () => undefined }
        }
        const part = (bytes: Uint8Array): void => told(linkAnswer.unpack(bytes))
        const answer = answers.open({ name, input }, { part, failed })
        link.cut = () => {
          link.up = false
          answer.end()
          failed("the link is lost")
        }
        return answer
      }
    })
  const nobody = {
    forward: () => {
      throw new Error("nobody is forwarded")
    },
    reaching: () => null,
    reached: () => [],
    forget: () => undefined,
    figures: () => {
      throw new Error("nobody counts")
    }
  }
  const living = { runners: [{ address: "b:2", link: "b:2", newestProtocol: 2 }] }
  const build = (ask: Links["Service"]["ask"], others: (typeof OtherRunners)["Service"]) =>
    Layer.build(
      Layer.fresh(Presence.layer).pipe(
        Layer.provideMerge(Layer.fresh(SeatedPlayers.layer)),
        Layer.provideMerge(Layer.fresh(RunnerAnswers.layer)),
        Layer.provide(Layer.mock(Links, { ...nobody, ask })),
        Layer.provide(Layer.succeed(OtherRunners, others))
      )
    )
  const alone = { several: false, living: Effect.succeed([]) }
  const other = yield* build(() => Effect.never, alone)
  const own = yield* build(linkTo(Context.get(other, RunnerAnswers)), {
    several: true,
    living: Effect.sync(() => living.runners)
  })
  return {
    link,
    living,
    presence: Context.get(own, Presence),
    seats: Context.get(own, SeatedPlayers),
    otherSeats: Context.get(other, SeatedPlayers)
  }
})

it.effect("[C-561] tells where players are, be it here or on another runner", () =>
  Effect.gen(function* () {
    const { presence, seats, otherSeats, link } = yield* makeRunners
    const far = roomOf(otherSeats, "far")
    far.entered("ann")
    roomOf(seats, "near").entered("bob")
    expect(roomsOf(yield* presence.read(asked))).toEqual(["far", "near"])
    yield* TestClock.adjust(1)
    roomOf(otherSeats, "later").entered("bob")
    far.left("ann")
    yield* crossed
    expect(roomsOf(yield* presence.read(asked))).toEqual([null, "later"])
    expect(link.asks).toBe(1)
  })
)

it.effect("[C-561] forgets the players of a runner that does not answer for half a second", () =>
  Effect.gen(function* () {
    const { presence, otherSeats, link } = yield* makeRunners
    roomOf(otherSeats, "far").entered("ann")
    expect(roomsOf(yield* presence.read(asked))).toEqual(["far", null])
    link.cut()
    yield* TestClock.adjust(presenceLook.ms)
    expect(roomsOf(yield* presence.read(asked))).toEqual(["far", null])
    yield* TestClock.adjust(presenceSilence.ms + presenceLook.ms)
    expect(roomsOf(yield* presence.read(asked))).toEqual([null, null])
    link.up = true
    yield* TestClock.adjust(PresenceLimits.presenceAgain.ms + presenceLook.ms)
    yield* crossed
    expect(roomsOf(yield* presence.read(asked))).toEqual(["far", null])
  })
)

it.effect("[C-561] asks a runner that starts later, and one that has ended no more", () =>
  Effect.gen(function* () {
    const { presence, otherSeats, living, link } = yield* makeRunners
    roomOf(otherSeats, "far").entered("ann")
    const [runner] = living.runners
    living.runners = []
    expect(roomsOf(yield* presence.read(asked))).toEqual([null, null])
    living.runners = runner === undefined ? [] : [runner]
    yield* TestClock.adjust(presenceLook.ms)
    expect(roomsOf(yield* presence.read(asked))).toEqual(["far", null])
    living.runners = []
    link.cut()
    yield* TestClock.adjust(2 * presenceLook.ms)
    expect(roomsOf(yield* presence.read(asked))).toEqual([null, null])
    expect(link.asks).toBe(1)
  })
)

it.effect("[C-561] hears of players for a minute after the last question, or while one waits", () =>
  Effect.gen(function* () {
    const { presence, otherSeats, link } = yield* makeRunners
    const watching = yield* Effect.forkChild(presence.watch(asked, () => false))
    yield* TestClock.adjust(2 * presenceUnread.ms)
    expect(link.asks).toBe(1)
    yield* Fiber.interrupt(watching)
    yield* TestClock.adjust(presenceUnread.ms + 2 * presenceLook.ms)
    roomOf(otherSeats, "far").entered("ann")
    expect(roomsOf(yield* presence.read(asked))).toEqual(["far", null])
    expect(link.asks).toBe(2)
  })
)

it.effect("[C-562] wakes a watch for its players, wherever they go", () =>
  Effect.gen(function* () {
    const { presence, seats, otherSeats } = yield* makeRunners
    const looks: Array<ReadonlyArray<string | null>> = []
    const watching = yield* Effect.forkChild(
      presence.watch(asked, (places) => looks.push(roomsOf(places)) > 3)
    )
    yield* crossed
    roomOf(seats, "near").entered("eve")
    yield* crossed
    expect(looks).toEqual([[null, null]])
    roomOf(seats, "near").entered("ann")
    yield* crossed
    yield* TestClock.adjust(1)
    roomOf(otherSeats, "far").entered("ann")
    yield* crossed
    roomOf(otherSeats, "far").entered("bob")
    yield* crossed
    yield* Fiber.join(watching)
    expect(looks).toEqual([
      [null, null],
      ["near", null],
      ["far", null],
      ["far", "far"]
    ])
    expect(presence.waiting()).toBe(0)
  })
)

it.effect("[C-562] at the end of the runner every watch ends, and none waits any more", () =>
  Effect.gen(function* () {
    const { presence } = yield* makeRunners
    const watching = yield* Effect.forkChild(presence.watch(asked, () => false))
    yield* crossed
    expect(presence.waiting()).toBe(1)
    yield* presence.end
    yield* Fiber.join(watching)
    yield* presence.watch(asked, () => false)
    expect(presence.waiting()).toBe(0)
  })
)
