import { RoomId } from "@atrium/domain/shared/Ids"
import { TextLimits } from "@atrium/wire/text/TextLimits"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

import { OtherRunners } from "../cluster/OtherRunners.ts"
import { clipsSince } from "../cluster/RunnerProtocol.ts"
import { Links } from "../link/Links.ts"
import { RoomState } from "../rooms/RoomState.ts"
import { RoomStore } from "../rooms/RoomStore.ts"
import { ServerActor } from "../servers/ServerProtocol.ts"
import { TestCluster } from "../servers/testing/TestCluster.ts"
import { MemoryStores, newProject } from "../store/testing/TestStores.ts"
import { Clips } from "./Clips.ts"

/** Of the links only the addresses are asked for. */
const unused = () => {
  throw new Error("nobody asks for this")
}

/** Where the room's server is; `null` = on this runner. */
const server = { link: null as string | null, asked: 0, message: "too large" }

const notAsked = () => Effect.sync(unused)
const FakeServer = ServerActor.toLayer(
  Effect.succeed(
    ServerActor.of({
      MakeClip: () =>
        Effect.sync(() => {
          server.asked++
          return { code: "E_CLIP_DISARMED", message: server.message }
        }),
      StartRoom: notAsked,
      DrainRoom: notAsked,
      KeepSeats: notAsked,
      CloseRoom: notAsked,
      PublishRoom: notAsked,
      Holds: notAsked,
      LinkAddress: notAsked
    })
  )
)

const living = [
  { address: "old", link: "old:1", newestProtocol: clipsSince - 1 },
  { address: "new", link: "new:1", newestProtocol: clipsSince },
  { address: "starting", link: null, newestProtocol: clipsSince - 1 }
]

const clips = Clips.layer.pipe(
  Layer.provideMerge(FakeServer),
  Layer.provideMerge(TestCluster),
  Layer.provideMerge(MemoryStores),
  Layer.provide(
    Layer.mock(Links, {
      addressOf: () => Effect.sync(() => server.link),
      forward: unused,
      reaching: unused,
      reached: unused,
      forget: unused,
      figures: unused
    })
  ),
  Layer.provide(Layer.succeed(OtherRunners, { several: true, living: Effect.succeed(living) }))
)

/** Asks for a clip of a room that is awake. */
const refusedClip = Effect.fnUntraced(function* (told: Partial<typeof server>) {
  const key = { projectId: yield* newProject, roomId: RoomId.make("room") }
  yield* TestClock.adjust("1 second")
  Object.assign(server, { link: null, asked: 0 }, told)
  const at = { type: "arena", class: "standard", version: 1, epoch: 1, serverIndex: 0 } as const
  const state = RoomState.Awake({ at, slot: 0, restarts: [] })
  yield* (yield* RoomStore).save(key, { state, facts: null, reported: true, after: "any" })
  return yield* Effect.flip((yield* Clips).make(key, {}))
})

layer(clips)((it) => {
  it.effect.each([
    ["old:1", "E_REPLAY_OFF", 0],
    ["new:1", "E_CLIP_DISARMED", 1],
    [null, "E_CLIP_DISARMED", 1]
  ] as const)(
    "[C-425] of a room on the runner %s a clip is answered with %s",
    ([link, code, asked]) =>
      Effect.gen(function* () {
        expect(yield* refusedClip({ link })).toMatchObject({ _tag: code })
        expect(server.asked).toBe(asked)
      })
  )

  it.effect(
    "[C-829] the message of a room that refuses is cut as every message of the service",
    () =>
      Effect.gen(function* () {
        const { max } = TextLimits.messageBytes
        for (const [message, kept] of [
          ["x".repeat(max), "x".repeat(max)],
          ["x".repeat(max + 1), `${"x".repeat(max - 3)}…`]
        ] as const) {
          expect(yield* refusedClip({ message })).toMatchObject({ message: kept })
        }
      })
  )
})
