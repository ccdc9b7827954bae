import type { RoomStates, StateLook } from "@atrium/actors/inspect/RoomStates"
import { InspectLimits } from "@atrium/domain/inspect/InspectLimits"
import { ProjectId, RoomId } from "@atrium/domain/shared/Ids"
import { MiB, SecondMs } from "@atrium/wire/limits/Limit"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"

import { stateLooks } from "./LiveState.ts"

const key = { projectId: ProjectId.make("p_0123456789abcdef"), roomId: RoomId.make("r") }

/** The waits after looks that find these states, one after the other. */
const waits = (found: ReadonlyArray<Pick<StateLook, "live" | "bytes" | "hash">>) =>
  Effect.gen(function* () {
    let at = 0
    const states: RoomStates["Service"] = {
      look: () =>
        Effect.sync(() => {
          const look = found[at++]
          return look === undefined
            ? null
            : { ...look, atMs: 0, type: "t", version: 1, state: null }
        }),
      schemaOf: () => Effect.succeed(null)
    }
    const look = stateLooks(states, key)
    const waited: Array<number> = []
    for (const _ of found) waited.push((yield* look).againInMs)
    return waited
  })

const { liveStateEvery, liveStateIdle } = InspectLimits

it.effect(
  "[C-770] a small state is looked at four times a second, and less often while it stays the same",
  () =>
    Effect.gen(function* () {
      const small = { live: true, bytes: 10 }
      const found = ["a", "b", "b", "b", "b", "c"].map((hash) => ({ ...small, hash }))
      const every = liveStateEvery.ms
      const idle = liveStateIdle.ms
      expect(yield* waits(found)).toEqual([every, every, 2 * every, 4 * every, idle, every])
    })
)

it.effect(
  "[limits.live.state-rate] [C-770] a large state is looked at as often as its bytes are let through, even unshown",
  () =>
    Effect.gen(function* () {
      const large = { live: true, bytes: 64 * MiB }
      const found = ["over 1", "over 2", "over 2"].map((hash) => ({ ...large, hash }))
      expect(yield* waits(found)).toEqual([64 * SecondMs, 64 * SecondMs, 64 * SecondMs])
    })
)

it.effect("[C-770] a large state that is stored costs nothing while it stays the same", () =>
  Effect.gen(function* () {
    const stored = { live: false, bytes: 64 * MiB, hash: "1 7" }
    const every = liveStateEvery.ms
    expect(yield* waits([stored, stored, stored])).toEqual([every, 2 * every, liveStateIdle.ms])
  })
)
