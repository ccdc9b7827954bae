import { ProjectStore } from "@atrium/actors/projects/ProjectStore"
import { Effect, Option } from "effect"

import { ServiceFacts } from "../welcome/ServiceFacts.ts"

/** The project whose games strangers may play now: its owner may have deleted it since the start. */
export const playground = Effect.gen(function* () {
  const { playground: projectId } = yield* ServiceFacts
  if (projectId === null) return null
  const projects = yield* ProjectStore
  return Option.isSome(yield* projects.find(projectId)) ? projectId : null
})
