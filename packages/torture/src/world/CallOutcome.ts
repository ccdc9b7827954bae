import type { PlayedAnswer } from "@atrium/actors/process/testing/MemoryRoomProcess"
import { RoomRefusals } from "@atrium/wire/rooms/RoomRefusal"

/** Refusals after which nobody knows whether the service has done what it was asked. */
const unclear: ReadonlySet<string> = new Set([
  RoomRefusals.callTimeout.code,
  RoomRefusals.callFailed.code
])

/** What one answer of the service says of the call: it was done, it was not, or nobody knows. */
export const outcomeOf = ({ answer, code }: PlayedAnswer): "done" | "refused" | "unclear" => {
  if (answer !== null) return "done"
  return unclear.has(code ?? "") ? "unclear" : "refused"
}
