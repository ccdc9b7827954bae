import { ServerFrame } from "@atrium/wire/frames/Frame"

/** What the rooms of a server may still send of messages until the next look at their rate. Source: C-506. */
export interface SpareBytes {
  bytes: number
}

/** Messages of room code, and of clients to each other: what a client can do without. */
const isMessage = (frame: Uint8Array): boolean =>
  frame[1] === ServerFrame.msg || frame[1] === ServerFrame.sent

/** @returns whether the server may still send that much; if so it counts as sent */
const takeSpare = (spare: SpareBytes, bytes: number): boolean => {
  if (spare.bytes < bytes) return false
  spare.bytes -= bytes
  return true
}

/** Whether a frame may be sent. Frames that are no messages always may, and do not count. */
export const passes = (spare: SpareBytes, frame: Uint8Array): boolean =>
  !isMessage(frame) || takeSpare(spare, frame.length)
