import type { CaseContext } from "./CaseContext.ts"
import type { Wire } from "./Wire.ts"

/** One thing that a client may do wrong, with what the service must answer. */
export interface SocketCase {
  readonly name: string
  /** How often it comes, compared with the others. */
  readonly weight: number
  /** Errors: `Unexpected` when the service does anything else. */
  run(context: CaseContext): Promise<void>
}

export const socketCase = (name: string, weight: number, run: SocketCase["run"]): SocketCase => ({
  name,
  weight,
  run
})

/** A case of a client that is in a room. */
export const inRoom = (
  name: string,
  weight: number,
  run: (context: CaseContext, wire: Wire) => Promise<void>
): SocketCase =>
  socketCase(name, weight, async (context) => run(context, await context.join("fuzzed")))
