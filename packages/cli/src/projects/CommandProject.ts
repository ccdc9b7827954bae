import { projectOfOthers, readProjectKey } from "@atrium/domain/projects/ProjectFile"
import { Effect, type Option, Result, Stdio } from "effect"

import { hinted, Misused } from "../CommandFailure.ts"
import { openService } from "../service/OpenService.ts"
import type { ServiceClient } from "../service/ServiceClient.ts"
import {
  type CredentialSource,
  loginSettings,
  roomSettings,
  type ServiceSettings
} from "../service/ServiceSettings.ts"
import { withProgress } from "../terminal/Progress.ts"
import { WorkingDirectory } from "../WorkingDirectory.ts"
import { readProjectText } from "./ProjectFileText.ts"
import { filled, routeId } from "./ProjectParameters.ts"

/** The project that a command is about. */
export interface CommandProject {
  readonly id: string
  /** Where the id is from, for people. */
  readonly from: string
}

/** Where the command line says that the project is. */
export interface Named {
  readonly config: Option.Option<string>
  readonly project: Option.Option<string>
}

/** The same, and the service that has it. */
export interface Target extends Named {
  readonly url: Option.Option<string>
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

/** The project and its service, for what an API key may do. */
export const openRooms = Effect.fn("CommandProject.openRooms")(function* (target: Target) {
  const project = yield* commandProject(target)
  return yield* connected(project, yield* roomSettings(target.url))
})

/** The project and its service, for what only the account may do. */
export const openOwn = Effect.fn("CommandProject.openOwn")(function* (target: Target) {
  const project = yield* commandProject(target)
  return yield* connected(project, yield* loginSettings(target.url))
})

/** What to say of a project that the service does not show to the caller. */
export const unknownProject = ({ id, from }: CommandProject, source: CredentialSource): string =>
  source === "SERVICE_API_KEY"
    ? `the key of SERVICE_API_KEY is for no project ${id}, which is from ${from}`
    : `your account has no project ${id}, which is from ${from}`

const connected = Effect.fnUntraced(function* (project: CommandProject, settings: ServiceSettings) {
  const service = yield* openService(settings)
  const stdio = yield* Stdio.Stdio
  const hint = unknownProject(project, settings.credential.source)
  const ask: ServiceClient["ask"] = (call, wait) =>
    service
      .ask(call, wait)
      .pipe(
        withProgress(`waiting for ${settings.origin}`),
        Effect.provideService(Stdio.Stdio, stdio),
        hinted("E_NOT_FOUND", hint)
      )
  return { ...service, ask, project }
})
