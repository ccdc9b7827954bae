import type { JoinOrder, StartOrder } from "../host/HostOrders.ts"

/** The start of a room of a test. */
export const StartOfRoom: StartOrder = {
  projectId: "p_0123456789abcdef",
  roomId: "lobby",
  type: "",
  version: 3,
  epoch: 1,
  seed: "seed",
  nowMs: 1_700_000_000_000,
  clockRuns: true,
  snapshot: null,
  alarms: [],
  lobby: { isPublic: true, started: false }
}

/** A join that takes no seat back. */
export const joinOf = (ref: number, more: Partial<JoinOrder> = {}): JoinOrder => ({
  ref,
  sessionId: `s${ref}`,
  playerId: `p${ref}`,
  name: null,
  role: "player",
  options: null,
  resumeHash: null,
  nextResumeHash: `h${ref}`,
  player: null,
  attachedAs: null,
  ...more
})
