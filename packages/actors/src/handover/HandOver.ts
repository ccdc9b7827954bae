import { HandoverLimits } from "@atrium/domain/handover/HandoverLimits"
import { Effect } from "effect"

import type { RoomProcess } from "../process/RoomProcess.ts"
import type { RoomGate } from "../rooms/RoomGate.ts"

/** A room that leaves its runner with clients in it. */
interface Leaving {
  readonly gate: RoomGate
  readonly process: RoomProcess
  /** Stores its last state; false = it could not be stored. */
  readonly store: Effect.Effect<boolean>
  /** Waits for the facts beside its state, as the next runner reads them. */
  readonly factsStored: Effect.Effect<boolean>
}

/**
 * Hands the clients of a room over to its next incarnation: what they have sent until their frames wait is
 * taken, stored and answered; then they go. Source: C-416, C-418.
 *
 * @returns false when the room could not be stored: then its clients are still there
 */
export const handOver = Effect.fnUntraced(function* (room: Leaving) {
  const { gate, process } = room
  const settled = calledBack((then) => process.settled(then), HandoverLimits.handoverAnswers.ms)
  yield* calledBack((then) => gate.hold(then), HandoverLimits.handoverHold.ms)
  yield* settled
  if (!(yield* room.store)) return false
  if (!(yield* room.factsStored)) return false
  yield* settled
  gate.moveAll()
  return true
})

/** A runner or a process that does not call back in time is waited for no longer. */
const calledBack = (ask: (then: () => void) => void, ms: number): Effect.Effect<void> =>
  Effect.callback<void>((resume) => ask(() => resume(Effect.void))).pipe(
    Effect.timeoutOption(ms),
    Effect.asVoid
  )
