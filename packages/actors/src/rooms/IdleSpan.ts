import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"

/** Why nobody is in a room: nobody has come yet, its last client left, or lost its connection. */
export type EmptySince = "started" | "left" | "dropped"

/** The spans that a room's type sets for its end, in milliseconds. */
interface Spans {
  readonly hibernateAfterMs: number
  readonly reconnectForMs: number
}

/** How a room came to have no client. */
interface Emptiness {
  readonly since: EmptySince
  /** It runs no code of its own. */
  readonly relay: boolean
  /** It has let a client in at some time. */
  readonly entered: boolean
}

/** How long a room without clients stays awake, in milliseconds. Source: spec Rooms; C-17, C-224. */
export const idleSpanMs = (
  { hibernateAfterMs, reconnectForMs }: Spans,
  { since, relay, entered }: Emptiness
): number => {
  // The client of a new room was refused, or left before its welcome: the room waits for nobody.
  if (since !== "started" && !entered) return 0
  // A room without code starts for a client, which is on its way.
  if (relay && since === "started") return RuntimeLimits.roomJoin.ms
  // A client that lost its connection may come back: its session is kept that long.
  return since === "dropped" ? Math.max(hibernateAfterMs, reconnectForMs) : hibernateAfterMs
}
