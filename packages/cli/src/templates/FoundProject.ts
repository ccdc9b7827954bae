import { readProjectFile } from "@atrium/domain/projects/ProjectFile"
import { Result } from "effect"

/** What `atrium init` takes from a project file that is there already. */
export interface FoundProject {
  readonly project: string | null
  readonly name: string | null
  /** Whether the file says that a deploy brings the page along; `null` = there is no file. */
  readonly static: boolean | null
  /** Why the file says nothing, if it does not. */
  readonly fault: string | null
}

/** @param text of the file, or `null` where there is none. Spec: Project file, init. */
export const foundProject = (text: string | null): FoundProject => {
  if (text === null) return { project: null, name: null, static: null, fault: null }
  const read = readProjectFile(text)
  if (Result.isFailure(read)) {
    return { project: null, name: null, static: false, fault: read.failure }
  }
  const { project = null, name = null } = read.success
  return { project, name, static: Object.hasOwn(JSON.parse(text), "static"), fault: null }
}
