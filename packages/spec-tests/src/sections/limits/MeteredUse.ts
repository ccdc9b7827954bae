import { isSuccess } from "../../check/Answers.ts"
import { brought } from "../../check/Expect.ts"
import type { Meter } from "../../codec/Codecs.ts"
import type { Project } from "../../trial/Project.ts"
import type { Trial } from "../../trial/Trial.ts"
import { dayMs } from "../Units.ts"

/** What a project has used of a meter, as GET caps shows it. A meter that counts something was seen. */
export const usedOf = async (trial: Trial, project: Project, meter: Meter): Promise<number> => {
  const answer = await project.ask("/caps")
  isSuccess(answer)
  const { used } = brought(`the meter ${meter}`, answer, trial.codecs.cap(answer.json, meter))
  if (used > 0) trial.saw(`meter ${meter}`)
  return used
}

/** Sets the owner's ceiling of one meter. */
export const setCeiling = async (
  trial: Trial,
  project: Project,
  { meter, ceiling }: { readonly meter: Meter; readonly ceiling: number | null }
): Promise<void> => {
  const body = trial.codecs.capsBody({ [meter]: ceiling })
  isSuccess(await project.ask("/caps", { method: "PATCH", body }))
}

/** Runs with time held, in a month that does not end within the next days: use is counted by the month. */
export const withTimeHeld = async (trial: Trial, run: () => Promise<void>): Promise<void> => {
  await trial.control.hold(true)
  try {
    const now = new Date(await trial.control.nowMs())
    const leftMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) - now.getTime()
    if (leftMs < 3 * dayMs) await trial.control.advance(leftMs)
    await run()
  } finally {
    await trial.control.hold(false)
  }
}
