import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import { Context } from "effect"

import { FlushTogether } from "./FlushTogether.ts"
import { PollEveryMs } from "./ProcessPace.ts"

/** Frames to a room within a window for which its wait pays: every other one has company. */
const CompanyMin = 0.5

/** Whether a room gets its frames in groups, after this many frames within the last `PollEveryMs`. */
export const isWorthWaiting = (frames: number): boolean =>
  (frames * RoomProcessLimits.sendWindow.ms) / PollEveryMs >= CompanyMin

/**
 * Where frames to rooms wait under load, those of all rooms for the same moment. The passage of a
 * frame costs more than what it says: frames that go together are read together, answered together
 * and reach every client together, so that one wait saves work on the whole way. And a service that
 * is woken once for all of its rooms sleeps, and is woken, less often.
 * Source: performance.md, "What is worth doing" 1 and 3.
 */
export const makeSendWindow = (): FlushTogether =>
  new FlushTogether(() => RoomProcessLimits.sendWindow.ms)

/**
 * Whether frames to rooms and to clients wait for each other under load. If not, each frame leaves at
 * the end of its turn. Source: C-60, C-266.
 */
export const SendWindows = Context.Reference<boolean>("@atrium/actors/process/SendWindows", {
  defaultValue: () => true
})
