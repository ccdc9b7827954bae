import { projectOfOthers, readProjectKey } from "@atrium/domain/ProjectFile"
import { Effect, Option, Result } from "effect"

import { Misused } from "./CommandFailure.ts"
import { readProjectText } from "./ProjectFileText.ts"
import { filled, routeId } from "./ProjectParameters.ts"
import { WorkingDirectory } from "./WorkingDirectory.ts"

/** The project that a command is about. */
export interface CommandProject {
  readonly id: string
  /** Where the id is from, for people. */
  readonly from: string
}

interface Named {
  readonly config: Option.Option<string>
  readonly project: Option.Option<string>
}

/**
 * The project of every command but `deploy` and `dev`: `--project`, then the project file. Spec:
 * Project file, Resolution order; T-10.
 */
export const commandProject = Effect.fn("CommandProject.find")(function* (named: Named) {
  const flag = yield* filled("--project", named.project)
  const { text, shownPath } = yield* readProjectText(yield* WorkingDirectory, named.config)
  const read = text === null ? Result.succeed({}) : readProjectKey(text)
  if (Result.isFailure(read)) {
    return yield* new Misused({ message: `${shownPath}: ${read.failure}` })
  }
  const found = projectOfOthers({ flag, file: read.success })
  if (found === null) {
    const file = text === null ? `there is no ${shownPath}` : `${shownPath} names none`
    return yield* new Misused({ message: `project: say its id with --project; ${file}` })
  }
  const project: CommandProject = {
    id: yield* routeId("project", found.id),
    from: found.source === "file" ? shownPath : found.source
  }
  return project
})
