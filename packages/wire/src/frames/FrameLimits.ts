import { MiB, size } from "../limits/Limit.ts"

/** Frames between a client and the service. */
export const FrameLimits = {
  frameBytes: size("Frame from a client (D-24)", {
    max: MiB,
    per: "frame",
    past: "E_FRAME_TOO_LARGE"
  }),
  playerIdBytes: size("Player id", { max: 256, per: "player", past: "E_UNAUTHENTICATED" })
} as const
