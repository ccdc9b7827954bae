import type { Part } from "./Tally.ts"

/** How much is done, and until when. */
export interface FuzzPlan {
  readonly seed: number
  /** In all. */
  readonly frames: number
  readonly socketFrames: number
  readonly hostFrames: number
  /** Hostile numbers for worlds of physics. */
  readonly worldFrames: number
  /** HTTP requests beside the frames. */
  readonly requests: number
  /** Hostile room processes. */
  readonly rooms: number
  /** Moments of `performance.now()`. */
  readonly servedUntilMs: number
  readonly askedUntilMs: number
  readonly endsAtMs: number
  /** One part instead of all, or one case of it. */
  readonly only: { readonly part: Part; readonly index: number | null } | null
}

/** Shares of the frames. The rest goes to the readers, which take the most in the same time. */
const SocketShare = 0.12
const HostShare = 0.03
const WorldShare = 0.001
/** One hostile room for so many frames: each takes processes and seconds. */
const FramesPerRoom = 8_000
const RoomsMin = 10
/** The part of the time in which the service is under fire. */
const ServedShare = 0.6
/** The part of the time after which no request is begun. */
const AskedShare = 0.8
export const RequestsDefault = 10_000

export const planOf = (size: {
  readonly seed: number
  readonly frames: number
  readonly seconds: number
  readonly requests?: number
}): FuzzPlan => {
  const nowMs = performance.now()
  const { seed, frames, seconds, requests = RequestsDefault } = size
  return {
    seed,
    frames,
    requests,
    only: null,
    socketFrames: Math.floor(frames * SocketShare),
    hostFrames: Math.floor(frames * HostShare),
    worldFrames: Math.floor(frames * WorldShare),
    rooms: Math.max(RoomsMin, Math.floor(frames / FramesPerRoom)),
    servedUntilMs: nowMs + ServedShare * seconds * 1000,
    askedUntilMs: nowMs + AskedShare * seconds * 1000,
    endsAtMs: nowMs + seconds * 1000
  }
}
