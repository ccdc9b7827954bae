import { isRefusal, isSameAnswer } from "../check/Answers.ts"
import { same } from "../check/Expect.ts"
import type { ErrorRow } from "../sections/Row.ts"
import type { HttpAnswer } from "../trial/HttpProbe.ts"
import type { Trial } from "../trial/Trial.ts"

export interface ErrorBench {
  readonly act: () => Promise<HttpAnswer>
  /** Stands in the message, as it was sent. */
  readonly naming?: string
  /** The same for the row that this one is identical to. */
  readonly twin?: () => Promise<HttpAnswer>
  /** What must be the same before and after. */
  readonly state?: () => Promise<unknown>
}

/** The refusal is that of the row, says whose fault it is, tells no more than its twin, and changes nothing. */
export const errorChecks = async (
  trial: Pick<Trial, "codecs">,
  row: ErrorRow,
  { act, naming, twin, state }: ErrorBench
): Promise<void> => {
  const before = await state?.()
  const answer = await act()
  isRefusal(trial, answer, { outcome: row.outcome, ...(naming === undefined ? {} : { naming }) })
  if (twin !== undefined) {
    isSameAnswer(
      `${row.ids[0]}: the answer of ${row.identicalTo ?? "its twin"}`,
      answer,
      await twin()
    )
  }
  same(`${row.ids[0]}: what was before`, await state?.(), before)
}
