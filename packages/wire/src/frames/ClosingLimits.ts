import { MinuteMs, SecondMs, count, span } from "../limits/Limit.ts"

/** Limits past which the service closes a connection, and which the texts of close codes name. */
export const ClosingLimits = {
  handshake: span("Time to send join handshake after connecting", {
    ms: 5 * SecondMs,
    per: "connection",
    past: "E_HANDSHAKE_TIMEOUT"
  }),
  restarts: count("Room worker restarts per minute before close", {
    max: 3,
    per: "room",
    past: "E_ROOM_CRASHED"
  }),
  restartsWindow: span("Window in which restarts are counted", {
    ms: MinuteMs,
    per: "room",
    past: "older restarts are forgotten"
  })
} as const
