import { type DeclaredSettings, readDeclared } from "@atrium/domain/projects/ProjectFile"
import { Effect, Result } from "effect"

import { Misused } from "../CommandFailure.ts"
import type { ProjectFolder } from "../projects/ProjectFolder.ts"
import { routeId } from "../projects/ProjectParameters.ts"
import type { ServiceClient } from "../service/ServiceClient.ts"
import { withProgress } from "../terminal/Progress.ts"

/** The settings that the project file declares. */
export const declaredIn = ({
  text,
  shownPath
}: ProjectFolder): Effect.Effect<DeclaredSettings, Misused> =>
  Result.match(readDeclared(text), {
    onFailure: (problem) => Effect.fail(new Misused({ message: `${shownPath}: ${problem}` })),
    onSuccess: Effect.succeed
  })

interface Sync {
  readonly id: string
  readonly declared: DeclaredSettings
}

/** Makes the project what its file declares; nothing is written that is so already. Spec: Project file; C-120. */
export const syncProject = Effect.fn("ProjectSync.sync")(function* (
  service: ServiceClient,
  { id, declared }: Sync
) {
  const { audienceRole } = declared
  if (audienceRole === undefined) return
  const project = { params: { id: yield* routeId("project", id) }, query: {} }
  const { name, audienceRole: before } = yield* service.ask(service.projects.read(project))
  if (before === audienceRole) return
  const set = service.projects.set({ ...project, payload: { name, audienceRole } })
  yield* service.ask(set).pipe(withProgress(`setting audienceRole of ${id}`))
})
