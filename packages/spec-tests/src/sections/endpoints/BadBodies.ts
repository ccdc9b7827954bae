import { isRefusal, isRefused } from "../../check/Answers.ts"
import type { Trial } from "../../trial/Trial.ts"
import { rowOf } from "../Section.ts"

/** Of a room that is not there: what does not fit is 400, and what fits 404. */
export async function shapeFirst(
  trial: Trial,
  {
    unfit,
    fit = [{}]
  }: { readonly unfit: ReadonlyArray<object>; readonly fit?: ReadonlyArray<object> }
): Promise<void> {
  const project = await trial.project()
  const ask = (body: object) => project.ask("/rooms/nobody", { method: "PATCH", body })
  for (const body of fit) {
    const answer = await ask(body)
    trial.chosen("T-29", () => isRefusal(trial, answer, rowOf("error", "rooms.patch.not-found")))
  }
  for (const body of unfit) {
    const answer = await ask(body)
    isRefused(answer)
    const naming = Object.keys(body).at(-1) ?? ""
    trial.chosen("D-03", () => isRefusal(trial, answer, named(naming)))
  }
}

export const named = (naming: string) => ({ ...rowOf("error", "error.http.E_BAD_REQUEST"), naming })
