import { DeploymentStore } from "@atrium/actors/deployments/DeploymentStore"
import { AccountStore } from "@atrium/actors/logins/AccountStore"
import { type ProjectRow, ProjectStore } from "@atrium/actors/projects/ProjectStore"
import { makeSecret } from "@atrium/actors/store/Secrets"
import { Effect, Option, Redacted } from "effect"

import { deployExamples, firstExamples } from "../demo/Examples.ts"
import type { ServiceConfig } from "./ServiceConfig.ts"

/** What the banner says of accounts and projects. */
export interface FirstProject {
  /** The owner's login token, on the one start that made it. */
  readonly token: string | null
  readonly demo: ProjectRow | null
}

/**
 * The first start makes the owner account and a project `demo` with the examples deployed; a later
 * one finishes what an earlier one could not. Source: D-50.
 */
export const firstProject = Effect.fn("start.firstProject")(function* (config: ServiceConfig) {
  const accounts = yield* AccountStore
  const projects = yield* ProjectStore
  const given = Option.getOrUndefined(config.bootstrapToken)
  const token = given === undefined ? makeSecret("loginToken") : Redacted.value(given)
  const { created } = yield* accounts.bootstrap(token)
  const shown = created && given === undefined ? token : null
  const owner = yield* accounts.owner
  if (Option.isNone(owner)) return { token: shown, demo: null }
  const { accountId } = owner.value
  const alone = Option.isNone(config.databaseUrl)
  if (alone) yield* projects.ensureDev(accountId)
  const known = yield* demoAmong(yield* projects.list(accountId))
  // A demo that was deleted or renamed since is not made again.
  const first = created || (alone && !(yield* projects.hadAny(accountId)))
  if (known === undefined && !first) return { token: shown, demo: null }
  const demo = known ?? (yield* projects.create(accountId, "demo"))
  if (demo.currentVersion !== null) return { token: shown, demo }
  // The examples are ours: one that does not deploy is a fault, not a refusal.
  yield* Effect.orDie(deployExamples(demo.projectId, firstExamples))
  const deployed: FirstProject = { token: shown, demo: { ...demo, currentVersion: 1 } }
  return deployed
})

/**
 * The project called `demo` that has the examples; or the first project of the account, if it is called
 * `demo` and an earlier start could not deploy to it. Another project of this name is left alone.
 *
 * @param newestFirst the projects of the account, newest first
 */
const demoAmong = Effect.fnUntraced(function* (newestFirst: ReadonlyArray<ProjectRow>) {
  const oldestFirst = newestFirst.filter(({ projectId }) => projectId !== "dev").toReversed()
  const named = oldestFirst.filter(({ name }) => name === "demo")
  const first = oldestFirst[0]
  if (first !== undefined && first.currentVersion === null && first === named[0]) return first
  const deployments = yield* DeploymentStore
  for (const project of named) {
    const current = Option.getOrNull(yield* deployments.current(project.projectId))
    const types = current?.roomTypes.map(({ type }) => type) ?? []
    if (firstExamples.every((example) => types.includes(example))) return project
  }
  return undefined
})
