import { Data } from "effect"

/** A failure of a command that is no fault of the tool: shown in one piece, without a stack. */
export class SimulateFailure extends Data.TaggedError("SimulateFailure")<{
  readonly message: string
  /** 1 = refused by the service or the room code, 2 = wrong use or an unusable file. Source: D-41. */
  readonly exitCode: 1 | 2
}> {}

export const misused = (message: string) => new SimulateFailure({ message, exitCode: 2 })
export const refused = (message: string) => new SimulateFailure({ message, exitCode: 1 })
