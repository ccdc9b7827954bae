import { HandoverLimits } from "./HandoverLimits.ts"

const fewest = 2
/** So many rooms are a reason for one more at once: even a thousand are gone well within the time of a shutdown. */
const roomsForOne = 25

/**
 * How many of a runner's rooms are handed over at once. Rooms that start share the processor: with few at once each is
 * away for a short time. Source: C-416.
 */
export const handoversAtOnce = (rooms: number): number =>
  Math.min(HandoverLimits.handoverAtOnce.max, Math.max(fewest, Math.ceil(rooms / roomsForOne)))
