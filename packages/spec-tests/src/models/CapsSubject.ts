import { Mismatch, same } from "../check/Expect.ts"
import type { Project } from "../trial/Project.ts"
import type { Trial } from "../trial/Trial.ts"
import type { CapsDeed, CapsProject, CapsState, Ceilings } from "./CapsModel.ts"
import { Abandoned, type Answer, type Subject } from "./Machine.ts"
import { outcomeText } from "./OutcomeText.ts"

/** The caps of two new projects. */
export const startCaps = async (trial: Trial): Promise<Subject<CapsDeed, CapsState>> => {
  const [one, other] = await Promise.all([trial.project(), trial.project()])
  const projects: Readonly<Record<CapsProject, Project>> = { one, other }
  const perform = async ({ kind, project, ceilings }: CapsDeed): Promise<Answer> => {
    const body = trial.codecs.capsBody(ceilings)
    const answer = await projects[project].ask("/caps", { method: "PATCH", body })
    const outcome = outcomeText(trial, answer)
    if (kind === "set wrongly" && outcome === "ok") {
      trial.chosen("D-10", () => same("a negative ceiling", outcome, "400 E_BAD_REQUEST"))
      throw new Abandoned()
    }
    return outcome
  }
  const read = async (project: Project): Promise<Ceilings> => {
    const answer = await project.ask("/caps")
    const of = (meter: keyof Ceilings): number | null => {
      const cap = trial.codecs.cap(answer.json, meter)
      if (cap === null) {
        throw new Mismatch(`the cap ${meter}`, { expected: "a cap", actual: answer.text })
      }
      return cap.ceiling
    }
    return {
      roomHours: of("roomHours"),
      voiceMinutes: of("voiceMinutes"),
      storageBytes: of("storageBytes"),
      dataOutBytes: of("dataOutBytes")
    }
  }
  return { perform, view: async () => ({ one: await read(one), other: await read(other) }) }
}
