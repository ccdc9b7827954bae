import { roomKeyText } from "@atrium/domain/shared/Ids"
import type { ClipOptions } from "@atrium/runtime/host/HostOrders"
import { Context, Data, Effect, Layer, type Scope } from "effect"

import type { CallingRoom } from "../rooms/AnsweredCall.ts"
import type { ClipOutcome } from "../servers/ServerProtocol.ts"

/** Why a clip or a recording is not made. */
export class ReplayRefused extends Data.TaggedError("ReplayRefused")<{
  readonly code: `E_${string}`
  readonly message: string
}> {}

/** A recording that has begun. */
export interface StartedRecording {
  readonly replayId: string
}

/** A recording that is over. */
export interface StoppedRecording {
  readonly replayId: string
  readonly bytes: number
  readonly expiresAtMs: number
}

/** A clip that is stored. */
export interface StoredClip {
  readonly clipId: string
  readonly expiresAtMs: number
}

/** A clip as its room describes it: the numbers of its chunks, and where in them it begins. */
export interface WantedClip {
  readonly ttl: string
  readonly fromMs: number
  readonly chunks: ReadonlyArray<number>
}

/** The footage of one incarnation of a room: what it asks for, and what others ask of it. */
export interface LiveReplay {
  readonly clip: (wanted: WantedClip) => Effect.Effect<StoredClip, ReplayRefused>
  readonly record: (ttl: string) => Effect.Effect<StartedRecording, ReplayRefused>
  readonly stop: Effect.Effect<StoppedRecording, ReplayRefused>
  /** Asks the room for a clip, as somebody who looks at it from outside. */
  readonly makeClip: (options: ClipOptions) => Effect.Effect<ClipOutcome>
}

/** The footage of the rooms that are up on this runner, for the calls of their code. */
export class LiveReplays extends Context.Service<
  LiveReplays,
  {
    /** Until the scope ends. */
    add(room: Seat, replays: LiveReplay): Effect.Effect<void, never, Scope.Scope>
    /** `null` = the incarnation is gone, or its type declares no replay. */
    of(room: Seat): LiveReplay | null
  }
>()("@atrium/actors/replay/LiveReplays") {
  static readonly layer = Layer.sync(LiveReplays, () => {
    const rooms = new Map<string, LiveReplay>()
    return {
      add: (room, replays) =>
        Effect.asVoid(
          Effect.acquireRelease(
            Effect.sync(() => rooms.set(keyOf(room), replays)),
            () => Effect.sync(() => rooms.delete(keyOf(room)))
          )
        ),
      of: (room) => rooms.get(keyOf(room)) ?? null
    }
  })
}

type Seat = Pick<CallingRoom, "projectId" | "roomId" | "epoch">

const keyOf = (room: Seat): string => `${roomKeyText(room)}/${room.epoch}`
