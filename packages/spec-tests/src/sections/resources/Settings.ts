import { isSuccess } from "../../check/Answers.ts"
import type { HttpAnswer } from "../../trial/HttpProbe.ts"
import type { Project } from "../../trial/Project.ts"

export type Settings = Readonly<Record<string, unknown>>

export const patched = (project: Project, settings: Settings): Promise<HttpAnswer> =>
  project.ask("", { method: "PATCH", body: { name: project.name, ...settings } })

/** A PATCH that sets nothing answers what is in force. */
export const settingsOf = async (project: Project): Promise<Settings> => {
  const answer = await patched(project, {})
  isSuccess(answer)
  return Object(answer.json)
}
