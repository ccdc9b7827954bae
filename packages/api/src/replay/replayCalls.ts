import { type LiveReplay, LiveReplays, type ReplayRefused } from "@atrium/actors/replay/LiveReplays"
import { answerCall, type CallingRoom, type CallRefusal } from "@atrium/actors/rooms/AnsweredCall"
import { clipCall, recordCall, stopCall } from "@atrium/domain/replay/ReplayCalls"
import { replayPath } from "@atrium/domain/replay/ReplayId"
import { isoOf } from "@atrium/domain/shared/IsoText"
import { ReplayCodes } from "@atrium/wire/replay/ReplayCodes"
import { Effect } from "effect"

const replayOff: CallRefusal = {
  _tag: ReplayCodes.off,
  message: "replay: the room's type declares no replay in its schema"
}

/** The footage of the incarnation that calls. */
const ofRoom = <A>(
  room: CallingRoom,
  ask: (replays: LiveReplay) => Effect.Effect<A, ReplayRefused>
) =>
  Effect.gen(function* () {
    const replays = (yield* LiveReplays).of(room)
    if (replays === null) return yield* Effect.fail(replayOff)
    return yield* Effect.mapError(ask(replays), ({ code, message }): CallRefusal => ({
      _tag: code,
      message
    }))
  })

/** What room code asks of the noun: `replay.clip`, `replay.record`, `replay.stop`. */
export const replayCalls = {
  clip: answerCall(clipCall, (room, wanted) =>
    Effect.map(
      ofRoom(room, (replays) => replays.clip(wanted)),
      ({ clipId, expiresAtMs }) => ({
        clipId,
        url: replayPath(clipId),
        expiresAt: isoOf(expiresAtMs)
      })
    )
  ),
  record: answerCall(recordCall, (room, { ttl }) =>
    Effect.map(
      ofRoom(room, (replays) => replays.record(ttl)),
      ({ replayId }) => ({ replayId, url: replayPath(replayId) })
    )
  ),
  stop: answerCall(stopCall, (room) =>
    Effect.map(
      ofRoom(room, (replays) => replays.stop),
      ({ replayId, bytes, expiresAtMs }) => ({ replayId, bytes, expiresAt: isoOf(expiresAtMs) })
    )
  )
}
