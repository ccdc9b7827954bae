import type { Exit, ExitCause } from "../process/ExitCause.ts"
import { ServerWaking, StartFailed } from "../servers/ServerProtocol.ts"

/** The ends of a process that are not the doing of the room's code. Source: C-994. */
const cuts: ReadonlySet<ExitCause> = new Set(["stopped", "killed", "pressure"])

/** A machine without a free process says nothing about the room: a later wake may succeed. */
export const refusalAfter = ({ cause }: Exit): StartFailed | ServerWaking => {
  if (cause === "notStarted")
    return new ServerWaking({ message: "the machine has no process left for the room" })
  if (cause === "neighbour") return neighbourAtStart
  return cuts.has(cause) ? cutAtStart : failedAtStart
}

/** Whether a start has shown that the room's code does not take its state. */
export const isOfCode = (refusal: unknown): refusal is StartFailed =>
  refusal instanceof StartFailed && refusal !== cutAtStart

/** Whether a start was cut short with a process that other rooms share. */
export const isOfNeighbour = (refusal: unknown): boolean => refusal === neighbourAtStart

const neighbourAtStart = new ServerWaking({
  message: "the process that the room was to share has ended"
})

/** The texts for players; the developer finds the reason in the log. */
const failedAtStart = new StartFailed({
  message: "the room's code failed at its start; its log says why"
})
const cutAtStart = new StartFailed({
  message: "the room's process was ended at its start; its log says why"
})
