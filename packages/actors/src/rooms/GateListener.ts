import { CloseCodes } from "@atrium/wire/frames/CloseCode"

import type { RoomSeats } from "../presence/SeatedPlayers.ts"
import type { LeaveReason } from "./RoomState.ts"

/** What the gate tells the incarnation around it. */
export interface GateListener {
  /** The first client came, or the last one went; `dropped` = by a lost connection. */
  occupancy(change: { readonly occupied: boolean; readonly dropped: boolean }): void
  /** The service's clock; absent = nobody asks since when a client is there. */
  nowMs?(): number
  /** Hears of the players that the room lets in. */
  readonly seats?: RoomSeats | undefined
}

/** Close code and reason for the clients of a room that is put away. */
export const closeFor = (
  reason: LeaveReason
): { readonly code: number; readonly reason: string } => {
  const { code, name } = reason === "dataOut" ? CloseCodes.dataOut : CloseCodes.restarting
  return { code, reason: reason === "empty" ? "the room sleeps" : name }
}
