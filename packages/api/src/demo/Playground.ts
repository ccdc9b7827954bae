import { DeploymentStore } from "@atrium/actors/deployments/DeploymentStore"
import { ProjectStore } from "@atrium/actors/projects/ProjectStore"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { Effect, Option } from "effect"

import { ServiceFacts } from "../welcome/ServiceFacts.ts"
import { firstExamples, type GameName, gameNames } from "./Examples.ts"

/** The project in which strangers play. */
export interface ShownGames {
  readonly projectId: ProjectId
  readonly games: ReadonlyArray<GameName>
  /** The first request for marbles deploys it: it is among the games, and not among the room types. */
  readonly lacksMarbles: boolean
}

/** The version that the first start deploys. */
export const firstVersion = 1

/** The project whose games strangers may play now: its owner may have deleted it since the start, or deployed others. */
export const playground = Effect.gen(function* () {
  const { playground: projectId } = yield* ServiceFacts
  if (projectId === null) return null
  const projects = yield* ProjectStore
  if (Option.isNone(yield* projects.find(projectId))) return null
  const deployments = yield* DeploymentStore
  const current = Option.getOrNull(yield* deployments.current(projectId))
  const types = current?.roomTypes.map(({ type }) => type) ?? []
  // What the first start has deployed, and nobody else since.
  const lacksMarbles =
    current?.version === firstVersion &&
    types.length === firstExamples.length &&
    firstExamples.every((name) => types.includes(name))
  const games = gameNames.filter(
    (name) => types.includes(name) || (name === "marbles" && lacksMarbles)
  )
  const shown: ShownGames = { projectId, games, lacksMarbles }
  return shown
})
