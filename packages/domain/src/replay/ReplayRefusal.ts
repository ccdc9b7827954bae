import { Schema } from "effect"

/** The room's type declares no replay, or the room sleeps and holds no footage. 409. D-57. */
export class ReplayOff extends Schema.TaggedError<ReplayOff>()(
  "E_REPLAY_OFF",
  { message: Schema.String },
  { httpApiStatus: 409 }
) {}

/** The room's state exceeds the ring, so that there is no footage. 409. Spec: Replay limits. */
export class ClipDisarmed extends Schema.TaggedError<ClipDisarmed>()(
  "E_CLIP_DISARMED",
  { message: Schema.String },
  { httpApiStatus: 409 }
) {}

/** More than one clip a second of a room, or a third one while two are being stored. 429 with `retry-after`. Spec: Replay limits. */
export class ClipCooldown extends Schema.TaggedError<ClipCooldown>()(
  "E_CLIP_COOLDOWN",
  { retryAfterMs: Schema.Int },
  { httpApiStatus: 429 }
) {
  override get message(): string {
    return "the room may make one clip a second, and two at once; ask again later"
  }
}

/** A clip of more than 16 MiB before it is compressed. 413. Spec: Replay limits. */
export class ClipTooLarge extends Schema.TaggedError<ClipTooLarge>()(
  "E_CLIP_TOO_LARGE",
  { message: Schema.String },
  { httpApiStatus: 413 }
) {}
