import { holds, same } from "../check/Expect.ts"
import type { Refused } from "../sections/Row.ts"
import type { HttpAnswer } from "../trial/HttpProbe.ts"
import type { Trial } from "../trial/Trial.ts"

/** The outcome of one attempt. */
export type Outcome =
  | { readonly taken: true }
  | {
      readonly taken: false
      readonly refused: Refused
      /** How long the caller is told to wait; null or absent = nothing was said. */
      readonly retryAfterMs?: number | null
    }

export const taken: Outcome = { taken: true }

/** Any 2xx is taken; what else is answered is a refusal. */
export const outcomeOf = ({ codecs }: Pick<Trial, "codecs">, answer: HttpAnswer): Outcome => {
  if (answer.status >= 200 && answer.status < 300) return taken
  const code = codecs.error(answer)?.code
  const seconds = answer.headers["retry-after"]
  return {
    taken: false,
    refused: { status: answer.status, ...(code === undefined ? {} : { code }) },
    retryAfterMs: seconds !== undefined && /^\d+$/.test(seconds) ? Number(seconds) * 1000 : null
  }
}

export const isTaken = (what: string, outcome: Outcome): void =>
  holds(`${what} is taken`, outcome.taken, outcome.taken ? "taken" : outcome.refused)

export interface ExpectedRefusal {
  readonly outcome: Refused
  /** Status, code and close code are ours and not the specification's. */
  readonly decision?: string
}

/** It is refused, and in that way, as far as the row says how. */
export const isRefusedAs = (
  trial: Pick<Trial, "chosen">,
  what: string,
  { got, outcome, decision }: ExpectedRefusal & { readonly got: Outcome }
): void => {
  if (got.taken) return holds(`${what} is refused`, false, "taken")
  const { refused } = got
  const look = (): void => {
    for (const field of ["status", "code", "close"] as const) {
      if (outcome[field] !== undefined) same(`${what}: ${field}`, refused[field], outcome[field])
    }
  }
  if (decision === undefined) look()
  else trial.chosen(decision, look)
}
