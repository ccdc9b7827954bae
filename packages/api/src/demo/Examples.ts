import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

import { type DeployAsked, Deployer } from "@atrium/actors/deployments/Deployer"
import type { DeclaredSettings } from "@atrium/domain/projects/DeclaredSettings"
import { readDeclared } from "@atrium/domain/projects/ProjectFile"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { Effect, Result } from "effect"

/** The examples of this installation. */
export const examplesFolder = fileURLToPath(new URL("../../../../examples/", import.meta.url))

/** The examples that the first start deploys. Source: C-22. */
export const firstExamples = ["arena", "tic-tac-toe"] as const

/** The examples that can be played on the service itself, by their folders and their room types. */
export const gameNames = [...firstExamples, "marbles"] as const
export type GameName = (typeof gameNames)[number]

/**
 * Makes one deployment of examples: a project's rooms are deployed together.
 *
 * @param asked the version that it replaces: it is refused when another one is current
 */
export const deployExamples = Effect.fnUntraced(function* (
  projectId: ProjectId,
  names: ReadonlyArray<GameName>,
  asked: Pick<DeployAsked, "replaces"> = {}
) {
  const deployer = yield* Deployer
  // Loaded here, as few starts bundle anything.
  const { bundleRooms, withBundler } = yield* Effect.promise(() => import("@atrium/sdk/bundle"))
  const entries = names.map((name) => `./${name}/room.ts`)
  const bundle = yield* Effect.promise(() =>
    withBundler(() => bundleRooms({ entries, resolveDir: examplesFolder }))
  )
  const settings = yield* Effect.forEach(names, declaredBy)
  const declared: DeclaredSettings = Object.assign({}, ...settings)
  // The examples are ours: one that does not deploy is a fault, unless another version came first.
  yield* deployer.deploy(projectId, bundle.bytes, { settings: declared, ...asked })
})

/** The settings in the project file of an example; no two examples declare the same key. */
const declaredBy = Effect.fnUntraced(function* (name: GameName) {
  const text = yield* Effect.promise(() =>
    readFile(join(examplesFolder, name, "service.json"), "utf8")
  )
  return Result.getOrThrow(readDeclared(text))
})
