/** A clip that is stored. Its id is all that it takes to watch it: give it to whom may see the clip. */
export interface ReplayClip {
  /** `rp_` and 32 characters. */
  readonly clipId: string
  /** The path below the address of the service at which it is read. */
  readonly url: string
  /** ISO 8601. */
  readonly expiresAt: string
}

/** A recording that has begun. */
export interface ReplayStart {
  readonly replayId: string
  /** As of a clip. It shows something as soon as the first chunk is stored, after about five seconds. */
  readonly url: string
}

/** A recording that is over. */
export interface ReplayStop {
  readonly replayId: string
  /** Bytes that are stored of it. */
  readonly bytes: number
  /** ISO 8601. */
  readonly expiresAt: string
}

/** A frame of an excerpt: the state, a patch of it, or a message to everybody, as clients get them. */
export interface ReplayFrame {
  readonly kind: "state" | "patch" | "message"
  /** Unix milliseconds of `room.clock`. */
  readonly atMs: number
  /** The number of the last patch. */
  readonly tick: number
  readonly bytes: Uint8Array
}

/**
 * Footage of the room: what every client may see, which is the public state and the messages to everybody. It is there
 * where the schema declares `replay`; else every call is refused with E_REPLAY_OFF. Errors of all calls: `RpcError`
 * E_BAD_REQUEST for what is out of its bounds, E_CLIP_DISARMED while the state exceeds the ring, and those of every
 * in-room call. Spec: Replay limits.
 */
export interface RoomReplay {
  /**
   * Stores the last seconds. Errors: E_CLIP_COOLDOWN past one a second, E_CLIP_TOO_LARGE over 16 MiB before it is
   * compressed, E_CAP_REACHED at the project's storage cap.
   *
   * @param options `seconds`: 1 up to what the schema declares, which is the default; `ttl`: as in the schema
   */
  clip(options?: { readonly seconds?: number; readonly ttl?: string }): Promise<ReplayClip>
  /**
   * Stores from now on what happens, until `stop`, 256 MiB, or until the store cannot follow. It goes on when the room
   * is back within a minute on the same version. Errors: E_RECORDING while one runs, E_CAP_REACHED.
   */
  record(options?: { readonly ttl?: string }): Promise<ReplayStart>
  /** Ends the recording; answers for the last one when it has ended already. Errors: E_BAD_REQUEST without any. */
  stop(): Promise<ReplayStop>
  /**
   * Frames of a window within the footage, at most 30 s and 4 MiB of them. Moments are those of `room.clock`.
   * Errors: E_EXCERPT_TOO_LONG, E_EXCERPT_TOO_LARGE, E_EXCERPT_COOLDOWN past four at once and one more each second.
   */
  excerpt(window: {
    readonly fromMs: number
    readonly toMs: number
  }): Promise<ReadonlyArray<ReplayFrame>>
}
