import type { DeclaredSettings } from "@atrium/domain/projects/DeclaredSettings"
import {
  readDeclared,
  type ResolvedProject,
  unknownKeysOf
} from "@atrium/domain/projects/ProjectFile"
import { Console, Effect, Result } from "effect"

import { Misused } from "../CommandFailure.ts"
import type { ProjectFolder } from "../projects/ProjectFolder.ts"
import { routeId } from "../projects/ProjectParameters.ts"
import type { ServiceClient } from "../service/ServiceClient.ts"
import { paintOf } from "../terminal/Paint.ts"
import { withProgress } from "../terminal/Progress.ts"
import { unknownHint } from "./Deploying.ts"

/** The settings that the project file declares. */
export const declaredIn = ({
  text,
  shownPath
}: ProjectFolder): Effect.Effect<DeclaredSettings, Misused> =>
  Result.match(readDeclared(text), {
    onFailure: (problem) => Effect.fail(new Misused({ message: `${shownPath}: ${problem}` })),
    onSuccess: Effect.succeed
  })

/** What a project file says in vain. Source: C-322. */
export const fileWarnings = ({
  text,
  shownPath
}: Pick<ProjectFolder, "text" | "shownPath">): ReadonlyArray<string> =>
  unknownKeysOf(text).map((problem) => `${shownPath}: ${problem}`)

/** Says warnings on standard error. */
export const warn = Effect.fnUntraced(function* (warnings: ReadonlyArray<string>) {
  const { warning } = yield* paintOf("stderr")
  yield* Effect.forEach(warnings, (text) => Console.error(`${warning("warning:")} ${text}`), {
    discard: true
  })
})

interface Named {
  readonly service: ServiceClient
  readonly folder: ProjectFolder
  readonly project: ResolvedProject
}

/** Gives the project the name that its file has, if it has another one. Spec: Project file, name; T-26. */
export const renameProject = Effect.fn("ProjectSync.rename")(function* (named: Named) {
  const { service, folder, project } = named
  const { name } = folder.file
  if (name === undefined) return
  const hint = unknownHint(folder, project)
  const request = { params: { id: yield* routeId("project", project.id) }, query: {} }
  const { name: before } = yield* service.ask(service.projects.read(request)).pipe(hint)
  if (before === name) return
  const rename = service.projects.rename({ ...request, payload: { name } })
  yield* service.ask(rename).pipe(withProgress(`renaming ${project.id}`), hint)
})
