import { ClientFrame } from "@atrium/wire/frames/Frame"

/**
 * Whether a client's frame answers a call of the room. An answer that waits is forgotten: the incarnation that
 * asked is gone, and the next one gives its calls the same numbers. Source: C-417.
 */
export const isClientAnswer = (frame: Uint8Array): boolean =>
  frame[1] === ClientFrame.rpcResult || frame[1] === ClientFrame.ownAnswer
