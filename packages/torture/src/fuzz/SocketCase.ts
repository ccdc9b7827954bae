import type { CaseContext } from "./CaseContext.ts"

/** One thing that a client may do wrong, with what the service must answer. */
export interface SocketCase {
  readonly name: string
  /** How often it comes, compared with the others. */
  readonly weight: number
  /** Errors: `Unexpected` when the service does anything else. */
  run(context: CaseContext): Promise<void>
}
