import { Deployer } from "@atrium/actors/deploy/Deployer"
import { type DeploymentRow, DeploymentStore } from "@atrium/actors/store/DeploymentStore"
import { JwtSecretStore } from "@atrium/actors/store/JwtSecretStore"
import { type ProjectRow, ProjectStore } from "@atrium/actors/store/ProjectStore"
import { Api } from "@atrium/domain/http/Api"
import { Account } from "@atrium/domain/http/Credential"
import type { Deployment, Project } from "@atrium/domain/http/ProjectsApi"
import { NotFound } from "@atrium/domain/Refusal"
import { Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"

const isoOf = (ms: number): string => new Date(ms).toISOString()

const projectOf = (row: ProjectRow): Project => ({
  id: row.projectId,
  name: row.name,
  plan: row.plan,
  createdAt: isoOf(row.createdAtMs),
  currentVersion: row.currentVersion
})

const deploymentOf = (row: DeploymentRow): Deployment => ({
  version: row.version,
  bytes: row.bytes,
  createdAt: isoOf(row.createdAtMs),
  roomTypes: row.roomTypes.map(({ type, class: roomClass, maxClients, schemaHash }) => ({
    type,
    class: roomClass,
    maxClients,
    schemaHash
  }))
})

/** The caller's own project; a foreign one is as absent as one that never was. */
const ownProject = Effect.fnUntraced(function* (id: string) {
  const projects = yield* ProjectStore
  const account = yield* Account
  const project = yield* projects.find(id)
  if (Option.isNone(project) || project.value.accountId !== account.accountId) {
    return yield* new NotFound()
  }
  return project.value
})

/** Projects, deployments and JWT secrets. */
export const ProjectsHandlers = HttpApiBuilder.group(
  Api,
  "projects",
  Effect.fnUntraced(function* (handlers) {
    const projects = yield* ProjectStore
    const deployments = yield* DeploymentStore
    const jwtSecrets = yield* JwtSecretStore
    const deployer = yield* Deployer
    return handlers.handleAll({
      list: Effect.fn("projects.list")(function* () {
        const { accountId } = yield* Account
        return (yield* projects.list(accountId)).map(projectOf)
      }),
      create: Effect.fn("projects.create")(function* ({ payload }) {
        const { accountId } = yield* Account
        return projectOf(yield* projects.create(accountId, payload.name))
      }),
      read: Effect.fn("projects.read")(function* ({ params }) {
        return projectOf(yield* ownProject(params.id))
      }),
      deployments: Effect.fn("projects.deployments")(function* ({ params }) {
        const { projectId } = yield* ownProject(params.id)
        return (yield* deployments.list(projectId)).map(deploymentOf)
      }),
      deploy: Effect.fn("projects.deploy")(function* ({ params, payload }) {
        const { projectId } = yield* ownProject(params.id)
        return deploymentOf(yield* deployer.deploy(projectId, payload))
      }),
      mintJwtSecret: Effect.fn("projects.mintJwtSecret")(function* ({ params, payload }) {
        const { projectId } = yield* ownProject(params.id)
        const minted = yield* jwtSecrets.mint(projectId, payload.rotate === true)
        return {
          secret: minted.secret,
          kid: String(minted.kid),
          createdAt: isoOf(minted.createdAtMs)
        }
      })
    })
  })
)
